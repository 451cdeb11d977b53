
export default function (pi) {
  let typed
  const about = (ctx) => ({
    session_id: ctx.sessionManager.getSessionId(),
    transcript_path: ctx.sessionManager.getSessionFile(),
    cwd: ctx.cwd,
  })
  /** `.../2026-11-29T21-03-31-617Z_<id>.jsonl` */
  const session_of = (file) => file?.split("_").pop().replace(/\.jsonl$/, "")
  const sources = { new: "startup", reload: "resume" }

  pi.on("session_start", safely(async ({ reason }, ctx) => {
    // A session that goes on is said to be started, and so is one that was forked on the command line: the file knows.
    const entries = ctx.sessionManager.getEntries()
    const goes_on = entries.some((entry) => entry.type === "message")
    const parent = goes_on ? session_of(ctx.sessionManager.getHeader()?.parentSession) : undefined
    const source = reason === "startup" && parent ? "fork" : (sources[reason] ?? reason)
    await tell("session-start", { ...about(ctx), source, parent_session: parent })
    // Without a terminal a compaction at a run's end comes after extensions have left: the file knows of it.
    const kept = ["message", "custom_message", "compaction"]
    const last = entries.findLast((entry) => kept.includes(entry.type))
    if (last?.type === "compaction") await tell("post-compact", about(ctx))
  }))

  // What was typed, before a template or a skill is made of it.
  pi.on("input", safely(async ({ text }) => {
    typed = text
  }))

  pi.on("before_agent_start", safely(async ({ prompt }, ctx) => {
    const said = typed ?? prompt
    typed = undefined
    const content = await tell("user-prompt", { ...about(ctx), prompt: said })
    if (content) return { message: { customType: "remora", content, display: false } }
  }))

  pi.on("tool_result", safely(async ({ toolName, toolCallId, input, content, isError }, ctx) => {
    const texts = content.map((part) => part.text)
    const alone = texts.length === 1 && typeof texts[0] === "string"
    const exit = alone ? texts[0].match(/Command exited with code (\d+)\s*$/)?.[1] : undefined
    const text = await tell(isError ? "tool-failure" : "post-tool-use", {
      ...about(ctx),
      tool_name: toolName,
      tool_use_id: toolCallId,
      tool_input: input,
      tool_response: alone ? texts[0] : content,
      error: isError ? (exit ? `exit code ${exit}` : alone ? texts[0] : "it failed") : undefined,
    })
    if (text) return { content: [...content, { type: "text", text }] }
  }))

  pi.on("session_compact", safely(async (_, ctx) => {
    await tell("post-compact", about(ctx))
  }))

  pi.on("agent_end", safely(async ({ messages }, ctx) => {
    const last = messages.findLast((message) => message.role === "assistant")
    const texts = (last?.content ?? []).filter((part) => part.type === "text").map((part) => part.text)
    await tell("stop", { ...about(ctx), last_assistant_message: texts.join("\n") })
  }))

  pi.on("session_shutdown", safely(async ({ reason }, ctx) => {
    if (reason !== "reload") await tell("session-end", { ...about(ctx), reason })
  }))
}
