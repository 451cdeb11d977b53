// Remora's plugin. `remora install` writes this file and replaces it; `remora uninstall` takes it away. It has no
// dependencies, decides nothing, and hands what happens to one program, which it waits for no longer than it says below.
// Whatever goes wrong, the host goes on as if it were not there.
import { spawn } from "node:child_process"

const REMORA = {}

/** Runs the program for one moment of a session. Gives what it says for the model, or nothing. */
const tell = (event, payload) =>
  new Promise((resolve) => {
    try {
      const child = spawn(REMORA.program, [event, ...REMORA.arguments], {
        stdio: ["pipe", "pipe", "ignore"],
        windowsHide: true,
      })
      let said = ""
      const leave = (text) => {
        clearTimeout(timer)
        resolve(text)
      }
      const timer = setTimeout(() => {
        child.kill("SIGKILL")
        leave(undefined)
      }, REMORA.patience)
      child.on("error", () => leave(undefined))
      child.on("close", () => {
        try {
          leave(said ? JSON.parse(said).additionalContext : undefined)
        } catch {
          leave(undefined)
        }
      })
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (text) => (said += text))
      child.stdout.on("error", () => {})
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(payload))
    } catch {
      resolve(undefined)
    }
  })

/** A hook that never fails its host. */
const safely = (hook) => async (...given) => {
  try {
    return await hook(...given)
  } catch {
    // Nothing of ours is worth a prompt.
  }
}
