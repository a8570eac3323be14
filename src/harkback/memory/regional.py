"""Words that Taiwan and the mainland say differently, of those that developers use; a question is asked in both."""

from __future__ import annotations

from harkback.text.fold import fold

# Taiwan, mainland. Only words that mean one thing: 程序 is a process there and a
# program here, 文件 a document there and a file here.
_PAIRS = (
    "资料库 数据库/使用者 用户/伺服器 服务器/软体 软件/硬体 硬件/网路 网络/资料夹 文件夹/"
    "预设 默认/介面 界面/萤幕 屏幕/滑鼠 鼠标/列印 打印/印表机 打印机/登入 登录/帐号 账号/"
    "帐户 账户/变数 变量/函式 函数/阵列 数组/字串 字符串/迴圈 循环/执行绪 线程/记忆体 内存/"
    "硬碟 硬盘/专案 项目/模组 模块/除错 调试/快取 缓存/影片 视频/存取 访问/相容 兼容/"
    "支援 支持/连结 链接/资讯 信息/最佳化 优化/行动装置 移动设备/智慧型手机 智能手机/云端 云/"
    "网域 域名/频宽 带宽/讯息 消息/通讯协定 协议/游标 光标/剪贴簿 剪贴板/范本 模板/回传 返回/"
    "资料表 数据表/资料 数据/品质 质量"
)
_TO_MAINLAND = [(one[0], one[1]) for one in (fold(pair).split() for pair in _PAIRS.split("/"))]


def elsewhere(folded: str) -> list[str]:
    """Give a folded text in the words of the other side; nothing where it has none of them."""
    if folded.isascii():
        return []
    there, here = folded, folded
    for taiwan, mainland in _TO_MAINLAND:
        there = there.replace(taiwan, mainland)
        here = here.replace(mainland, taiwan) if len(mainland) > 1 else here
    return [one for one in dict.fromkeys((there, here)) if one != folded]
