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
    child.stdin.end(JSON.stringify({ agent: "opencode", ...event }));
  });
}

export const Hark = async ({ directory }: any) => {
  const known = new Set<string>();
  const children = new Set<string>();

  return {
    event: async ({ event }: any) => {
      const info = event.properties?.info;
      if (event.type === "session.created" && info?.parentID) children.add(info.id);
      if (event.type === "session.compacted") known.delete(event.properties?.sessionID);
    },
    "chat.message": async (input: any, output: any) => {
      const last = output.parts.at(-1);
      if (!last || children.has(input.sessionID)) return;
      const typed = output.parts.filter((part: any) => part.type === "text" && !part.synthetic);
      const prompt = typed.map((part: any) => part.text).join("\n");
      const asked = { session_id: input.sessionID, cwd: directory };
      const texts = [];
      if (CONTEXT && !known.has(input.sessionID)) texts.push(await ask({ hook_event_name: "SessionStart", ...asked }));
      known.add(input.sessionID);
      texts.push(await ask({ hook_event_name: "UserPromptSubmit", prompt, ...asked }));
      const text = texts.filter(Boolean).join("\n\n");
      if (!text) return;
      // Parts are ordered by their ids: this one comes after the last.
      const { sessionID, messageID } = last;
      output.parts.push({ id: `${last.id}h`, sessionID, messageID, type: "text", synthetic: true, text });
    },
  };
};
