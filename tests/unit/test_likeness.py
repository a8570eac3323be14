"""What says the same, what may contradict, and what is neither: tables in three languages, written before measuring."""

from __future__ import annotations

import pytest

from harkback.engines.local.words import stem
from harkback.memory.likeness import is_same, may_contradict, said

SAME = (
    ("部署腳本放在 scripts/deploy.sh", "部署脚本放在 scripts/deploy.sh"),
    ("測試一律用 pytest 跑", "測試一律用 pytest 跑。"),
    ("用戶偏好深色主題", "用户偏好深色主题"),
    ("PR 合併前一定要有兩個人核准", "PR合併前一定要有兩個人核准!"),
    ("快取伺服器用 Redis", "快取伺服器用 redis"),
    ("報表每週一寄給財務部", "報表每週一寄給財務部了"),
    ("前端 的 單元測試 用 Vitest", "前端的單元測試用 Vitest"),
    ("テストは pytest で実行する", "テストはpytestで実行する。"),
    ("ユーザーはダークテーマが好み", "ユーザーはダークテーマが好みだ"),
    ("ｷｬｯｼｭには Redis を使う", "キャッシュには Redis を使う"),
    ("バックアップは毎晩二時に取る", "バックアップは毎晩二時に取る!"),
    ("文書は MkDocs で作る", "文書はＭｋＤｏｃｓで作る"),
    ("マージには二人の承認が必要", "マージには二人の承認が必要です"),
    ("会議の議事録は Notion に残す", "会議の議事録はNotionに残す"),
    ("型検査は mypy の strict で行う", "型検査はmypyのstrictで行う"),
    ("ログは Loki に集めている", "ログはLokiに集めている。"),
    ("The deploy script is scripts/deploy.sh", "the deploy script is `scripts/deploy.sh`"),
    ("The database is backed up every night", "Database is backed up every night"),
    ("Pull requests need two approvals", "Pull requests need two approvals!"),
    ("The API keys are kept in Vault", "API keys are kept in Vault"),
    ("Docs are built with MkDocs", "The docs are built with MkDocs"),
    ("I really like short answers", "I like short answers"),
    ("The error codes are listed in docs/errors.md", "Error codes are listed in docs/errors.md"),
    ("Logs are collected in Loki", "The logs are collected in Loki"),
    ("Configuration is written in YAML", "Configuration is written in  YAML ."),
    ("Meeting notes go to Notion", "Meeting notes go to notion"),
    ("資料庫備份每天凌晨兩點執行", "资料库备份每天凌晨2點執行。"),
    ("會議在十三樓會議室舉行", "會議在 13 樓會議室舉行"),
    ("保固期是兩百零五天喔", "保固期是205天"),
    ("正式環境在東京機房啊!", "「正式環境」在東京機房"),
    ("二〇二六年換新合約", "2026年換新合約"),
    ("リトライは三回まで", "リトライは３回まで"),
    ("部長は佐藤さんです", "部長は佐藤さん。"),
    ("客戶同意合約了嗎?", "客户同意合约了吗？"),
    ("Is the staging server down?", "is staging server down?"),
    ("The user prefers dark themes", "User really prefers the dark themes"),
    ("Please use the userId of the session", "use userId of the session"),
    ("A meeting needs an agenda", "Meeting needs agenda"),
    ("It is known that tests are slow", "it is known tests are slow"),
    ("Tests are run with pytest", "TESTS are run with “pytest”."),
    ("Ｐｏｒｔ ８４４３ is taken", "port 8443 is taken"),
    ("The token lives in ~/.config/Foo", "Token lives in ~/.config/Foo."),
)

DIFFERENT = (
    # Digits.
    ("測試資料庫在 5432 埠", "測試資料庫在 5433 埠"),
    ("後端使用 Python 3.11", "後端使用 Python 3.12"),
    ("逾時設定為 30 秒", "逾時設定為 300 秒"),
    ("テストサーバーは 10.0.0.5 にある", "テストサーバーは 10.0.0.6 にある"),
    ("リトライは三回まで", "リトライは五回まで"),
    ("The dev server listens on port 3000", "The dev server listens on port 3001"),
    ("Timeout is 30 seconds", "Timeout is 60 seconds"),
    ("The release is version 2.4.1", "The release is version 2.4.10"),
    ("備份保留三個月", "備份保留六個月"),
    ("The cluster has three nodes", "The cluster has five nodes"),
    # Negation.
    ("提交前要跑格式化", "提交前不要跑格式化"),
    ("這個服務可以重啟", "這個服務不可以重啟"),
    ("正式環境允許直接登入", "正式環境禁止直接登入"),
    ("タブを使う", "タブを使わない"),
    ("夜間のデプロイは許可されている", "夜間のデプロイは許可されていない"),
    ("本番では debug を有効にする", "本番では debug を無効にする"),
    ("Use tabs for indentation", "Do not use tabs for indentation"),
    ("The cache is enabled in tests", "The cache is disabled in tests"),
    ("You can force push to main", "You can't force push to main"),
    ("Always squash commits", "Never squash commits"),
    ("這個測試會失敗", "這個測試不會失敗"),
    # Another value.
    ("快取伺服器用 Redis", "快取伺服器用 Memcached"),
    ("值班的人是小雯", "值班的人是阿德"),
    ("站立會議在週一", "站立會議在週三"),
    ("会議は月曜日にある", "会議は火曜日にある"),
    ("担当は田中さん", "担当は鈴木さん"),
    ("エディタは Vim を使う", "エディタは Emacs を使う"),
    ("The staging region is Frankfurt", "The staging region is Dublin"),
    ("Sarah owns the billing service", "Ravi owns the billing service"),
    ("The user prefers dark themes", "The user prefers light themes"),
    ("前端打包用 webpack", "前端打包用 Vite"),
    # The order of names.
    ("小雯向阿德報告", "阿德向小雯報告"),
    ("從 MySQL 遷移到 PostgreSQL", "從 PostgreSQL 遷移到 MySQL"),
    ("田中さんは鈴木さんの上司", "鈴木さんは田中さんの上司"),
    ("MySQL から PostgreSQL に移した", "PostgreSQL から MySQL に移した"),
    ("Sarah reviews the code of Ravi", "Ravi reviews the code of Sarah"),
    ("Copy the files from alpha to beta", "Copy the files from beta to alpha"),
    ("Tabs are preferred over spaces", "Spaces are preferred over tabs"),
    ("服務 A 依賴服務 B", "服務 B 依賴服務 A"),
    # One more detail.
    ("部署前要備份資料庫", "部署前要備份正式環境的資料庫和設定檔"),
    ("資料庫每晚備份", "資料庫每晚備份到 S3 的 tokyo 儲存桶"),
    ("デプロイは木曜に行う", "デプロイは木曜に行うが、月末は避ける"),
    ("ログは Loki に集める", "ログは Loki に集めて九十日で消す"),
    ("Backups run every night", "Backups run every night and are encrypted with age"),
    ("The user likes short answers", "The user likes short answers in Japanese"),
    ("Deploy on Thursdays", "Deploy on Thursdays only after the freeze"),
    # A number or a sign that carries the meaning.
    ("分支叫 feature/login", "分支叫 feature/logout"),
    ("圧縮率は +5% になった", "圧縮率は -5% になった"),
    ("Latency changed by +5 ms", "Latency changed by -5 ms"),
    ("The service is written in C", "The service is written in C++"),
    ("I live in Paris", "My sister lives in Paris"),
    ("我對花生過敏", "他對花生過敏"),
    # The words that join the others.
    ("這台機器比那台機器快", "那台機器比這台機器快"),
    ("他把電腦給我", "我把電腦給他"),
    ("我喜歡你", "你喜歡我"),
    ("部署要兩人核准才能上正式環境", "部署要兩人核准就能上正式環境"),
    ("小雯在家", "小雯也在家"),
    ("Kim 是老闆", "Kim 的老闆"),
    ("会議に出る", "会議が出る"),
    ("田中さんが鈴木さんに教える", "田中さんに鈴木さんが教える"),
    ("田中さんに送る", "田中さんから送る"),
    ("Ship it to Kim", "Ship it from Kim"),
    ("Access is granted by Kim", "Access is granted to Kim"),
    ("Ask Kim and Tom for a review", "Ask Kim or Tom for a review"),
    ("All tests must pass before a merge to main", "Some tests must pass before a merge to main"),
    ("I trust him", "He trusts me"),
    ("Mei has a dog", "Mei had a dog"),
    # One sign, which is all there is.
    ("冷氣溫度設定在二十六度", "冷氣溫度設定在二十度"),
    ("會議在三樓會議室舉行", "會議在十三樓會議室舉行"),
    ("我喜歡喝黑咖啡", "我爸喜歡喝黑咖啡"),
    ("付款期限是十天內完成匯款", "付款期限是二十天內完成匯款"),
    ("退貨期限為七天之內", "退貨期限為十七天之內"),
    (
        "The nightly backup of the orders database goes to bucket A",
        "The nightly backup of the orders database goes to bucket B",
    ),
    ("The nightly backup goes to bucket A", "The nightly backup goes to bucket"),
    ("Use node 20 for the web app of shop a", "Use node 20 for the web app of shop b"),
    ("Use node 20 for the web app of shop a", "Use node 20 for the web app of shop"),
    ("Option A is the best", "Option is the best"),
    ("母の誕生日に花を送る", "祖母の誕生日に花を送る"),
    ("部長は佐藤さんです", "副部長は佐藤さんです"),
    ("系統管理員是林小姐", "前系統管理員是林小姐"),
    ("女友生日是五月三日", "前女友生日是五月三日"),
    ("資料庫備份由小王負責", "資料庫備份由小王太太負責"),
    ("我喜歡喝黑咖啡", "我最喜歡喝黑咖啡"),
    ("主機房在台北", "次主機房在台北"),
    ("The user wants dark mode", "The user wanted dark mode"),
    ("The token lives in ~/.config/foo/token", "The token lives in ~/.config/Foo/token"),
    ("The var is named userId", "The var is named userID"),
    ("The limit is 10 MB", "The limit is 10 Mb"),
    ("The area is 10²", "The area is 102"),
    ("Is the staging server down", "The staging server is down"),
    ("The staging server is down", "The staging server is down?"),
    ("客戶同意合約", "客戶同意合約了嗎"),
    ("客戶同意合約", "客戶同意合約嗎"),
    ("部長は佐藤さんです", "部長は佐藤さんですか"),
    ("部長は佐藤さんです", "部長は佐藤さんでした"),
    ("大概要等三五天", "大概要等三十五天"),
    ("買了七八個", "買了78個"),
    ("The talk was not very good", "The talk was not good"),
    ("Use tabs not spaces", "Use spaces not tabs"),
    ("Prefer httpx over requests", "Prefer requests over httpx"),
    # Nearly the same: saved twice is not lost.
    ("資料庫的備份每天凌晨兩點執行", "資料庫備份每天凌晨兩點執行"),
    ("我們的正式環境在東京機房", "正式環境在東京機房"),
    ("專案的 API 金鑰由 Vault 管理", "專案 API 金鑰由 Vault 管理"),
    ("使用者喜歡簡短的回答", "使用者喜歡簡短回答"),
    ("文件網站由 MkDocs 產生", "文件網站是由MkDocs產生的"),
    ("錯誤碼清單在 docs/errors.md", "錯誤碼清單在 docs/errors.md 裡。"),
    ("本番環境は東京リージョンにある", "本番環境は東京リージョンにあります"),
    ("デプロイ手順は docs/deploy.md にある", "デプロイの手順は docs/deploy.md にある"),
    ("設定ファイルは YAML で書く", "設定ファイルはYAMLで書くのだ"),
    ("社内の用語集は Confluence にある", "社内用語集は Confluence にある"),
    ("Tests are run with pytest", "Tests run with pytest."),
    ("The user prefers dark themes", "User prefers dark theme"),
    ("We use Redis as our cache", "We use Redis as the cache"),
    ("Our production runs in Frankfurt", "Production runs in Frankfurt"),
    ("Reports are mailed to finance on Mondays", "Reports are mailed to finance on Monday"),
    ("Type checks use mypy in strict mode", "Type checking uses mypy in strict mode"),
)

CONTRADICTING = (
    ("計費服務在 8443 埠", "計費服務在 9443 埠"),
    ("後端使用 Python 3.10", "後端使用 Python 3.13"),
    ("搜尋服務由志明負責", "搜尋服務由怡君負責"),
    ("提交訊息用英文寫", "提交訊息用中文寫"),
    ("主要分支叫 master", "主要分支叫 trunk"),
    ("站立會議在週一早上", "站立會議在週三下午"),
    ("縮排用兩個空格", "縮排用四個空格"),
    ("正式環境允許直接登入", "正式環境禁止直接登入"),
    ("我住在板橋", "我住在中壢"),
    ("日誌保留三十天", "日誌保留九十天"),
    ("決済サービスはポート 8443 を使う", "決済サービスはポート 9443 を使う"),
    ("バックエンドは Python 3.10 です", "バックエンドは Python 3.13 です"),
    ("検索サービスの担当は田中さん", "検索サービスの担当は鈴木さん"),
    ("コミットメッセージは英語で書く", "コミットメッセージは日本語で書く"),
    ("朝会は月曜の九時半から", "朝会は水曜の十時から"),
    ("インデントは空白二つ", "インデントは空白四つ"),
    ("夜間のデプロイは許可されている", "夜間のデプロイは許可されていない"),
    ("自宅は横浜市にある", "自宅はさいたま市にある"),
    ("ログの保存期間は三十日", "ログの保存期間は九十日"),
    ("エディタは Vim を使う", "エディタは Helix を使う"),
    ("The billing service listens on port 8443", "The billing service listens on port 9443"),
    ("The backend runs on Python 3.10", "The backend runs on Python 3.13"),
    ("Tom owns the search service", "Elena owns the search service"),
    ("Commit messages are written in German", "Commit messages are written in English"),
    ("The default branch is master", "The default branch is trunk"),
    ("Standup is on Monday mornings", "Standup is on Wednesday afternoons"),
    ("Indent with two spaces", "Indent with four spaces"),
    ("Direct login to production is allowed", "Direct login to production is not allowed"),
    ("I live in Freiburg", "I live in Amsterdam"),
    ("Logs are kept for thirty days", "Logs are kept for ninety days"),
    ("冷氣溫度設定在二十六度", "冷氣溫度設定在二十度"),
    ("會議在三樓會議室舉行", "會議在十三樓會議室舉行"),
    ("退貨期限為七天之內", "退貨期限為十七天之內"),
    ("Use tabs not spaces", "Use spaces not tabs"),
    ("Prefer httpx over requests", "Prefer requests over httpx"),
    ("Alice reports to Bob", "Bob reports to Alice"),
    ("小雯向阿德報告", "阿德向小雯報告"),
    ("The nightly backup goes to bucket A", "The nightly backup goes to bucket B"),
    ("The token lives in ~/.config/foo/token", "The token lives in ~/.config/Foo/token"),
)

NOT_CONTRADICTING = (
    ("計費服務在 8443 埠", "小雯對花生過敏"),
    ("後端使用 Python 3.10", "站立會議在週一早上"),
    ("我喜歡喝咖啡", "我喜歡爬山"),
    ("我也會說日文", "我會說英文"),
    ("部署腳本放在 scripts/deploy.sh", "部署脚本放在 scripts/deploy.sh。"),
    ("提交訊息用英文寫", "客服系統的窗口是林經理"),
    ("日誌用 Loki 收集", "面試在三樓會議室"),
    ("縮排用兩個空格", "總監下週出差"),
    ("資料庫備份每晚執行", "前端用 Vite 打包"),
    ("搜尋服務用 OpenSearch", "我住在板橋"),
    ("決済サービスはポート 8443 を使う", "佐藤さんはピーナッツアレルギー"),
    ("コミットメッセージは英語で書く", "自宅は横浜市"),
    ("コーヒーが好き", "山登りが好き"),
    ("私は英語も話せる", "私は日本語が話せる"),
    ("テストは pytest で実行する", "テストはpytestで実行する。"),
    ("朝会は月曜にある", "監視には Grafana を使う"),
    ("インデントは空白二つ", "部長は来週出張"),
    ("バックアップは毎晩取る", "画面の原案は Figma"),
    ("ログは Loki に集める", "面接室は三階"),
    ("検索は OpenSearch を使う", "妻はトヨタ勤務"),
    ("The billing service listens on port 8443", "Sarah is allergic to peanuts"),
    ("Commit messages are written in German", "The projector needs HDMI"),
    ("I like coffee", "I like hiking"),
    ("I also speak Japanese", "I speak English"),
    ("Tests are run with pytest", "Tests run with pytest."),
    ("Standup is on Monday mornings", "Grafana shows the dashboards"),
    ("Indent with two spaces", "The director travels next week"),
    ("Backups run every night", "The login page is designed in Figma"),
    ("Logs are collected by Loki", "Interviews take place on the third floor"),
    ("The search service uses OpenSearch", "My brother lives in Graz"),
    ("我女兒十三歲", "我家有十三隻貓"),
    ("我女兒十三歲", "我家有十四隻貓"),
    ("Every night the database is backed up", "The database is backed up every night"),
    ("The user prefers dark themes", "User prefers dark theme"),
)


@pytest.mark.parametrize("pair", SAME)
def test_what_says_the_same_is_the_same_from_both_sides(pair: tuple[str, str]) -> None:
    one, other = (said(text, stem) for text in pair)
    assert is_same(one, other)
    assert is_same(other, one)


@pytest.mark.parametrize("pair", DIFFERENT)
def test_what_says_something_else_or_more_is_not_the_same(pair: tuple[str, str]) -> None:
    one, other = (said(text, stem) for text in pair)
    assert is_same(one, one)
    assert is_same(other, other)
    assert not is_same(one, other)
    assert not is_same(other, one)


@pytest.mark.parametrize("pair", CONTRADICTING)
def test_another_value_of_the_same_thing_may_contradict(pair: tuple[str, str]) -> None:
    one, other = (said(text, stem) for text in pair)
    assert may_contradict(one, other) > 0
    assert may_contradict(other, one) == may_contradict(one, other)


@pytest.mark.parametrize("pair", NOT_CONTRADICTING)
def test_what_speaks_of_other_things_or_says_the_same_does_not_contradict(pair: tuple[str, str]) -> None:
    one, other = (said(text, stem) for text in pair)
    assert may_contradict(one, other) == 0
    assert may_contradict(other, one) == 0


def test_the_tables_are_as_long_as_they_are_said_to_be() -> None:
    assert len(SAME) >= 40
    assert len(DIFFERENT) >= 40
    assert len(CONTRADICTING) >= 30
    assert len(NOT_CONTRADICTING) >= 30
