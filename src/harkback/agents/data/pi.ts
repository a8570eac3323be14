// Written by `hark setup`; `hark setup --undo` takes it out.
import { spawn } from "node:child_process";

const PROGRAM = "hark";
const ENV = {};
const CONTEXT = false;
const TIMEOUT_MS = 5000;

/** Asks the hook; "" when it has nothing to say, fails or takes too long. */
function ask(event: Record<string, unknown>): Promise<string> {
  return new Promise((resolve) => {
    let said = "";
    const child = spawn(PROGRAM, ["hook"], {
      env: { ...process.env, ...ENV },
      stdio: ["pipe", "pipe", "ignore"],
      timeout: TIMEOUT_MS,
      windowsHide: true,
    });
    child.on("error", () => resolve(""));
    child.stdin.on("error", () => {});
    child.stdout.on("data", (piece: Buffer) => (said += piece.toString("utf8")));
    child.on("close", () => {
      try {
        const told = JSON.parse(said);
        resolve(String(told.additionalContext ?? told.hookSpecificOutput?.additionalContext ?? ""));
      } catch {
        resolve("");
      }
    });
    child.stdin.end(JSON.stringify({ agent: "pi", cwd: process.cwd(), ...event }));
  });
}

export default function (pi: any) {
  let isNew = true;
  const id = (ctx: any) => String(ctx?.sessionManager?.getSessionId?.() ?? "");

  pi.on("session_start", async () => {
    isNew = true;
  });
  pi.on("session_compact", async () => {
    isNew = true;
  });
  pi.on("before_agent_start", async (event: any, ctx: any) => {
    if (event.messageType && event.messageType !== "user") return;
    const texts = [];
    if (CONTEXT && isNew) texts.push(await ask({ hook_event_name: "SessionStart", session_id: id(ctx) }));
    isNew = false;
    texts.push(await ask({ hook_event_name: "UserPromptSubmit", session_id: id(ctx), prompt: event.prompt }));
    const content = texts.filter(Boolean).join("\n\n");
    return content ? { message: { customType: "hark", content, display: true } } : undefined;
  });
  pi.on("session_shutdown", async (_event: any, ctx: any) => {
    await ask({ hook_event_name: "SessionEnd", session_id: id(ctx) });
  });
}
