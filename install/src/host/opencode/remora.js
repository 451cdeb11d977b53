
export const RemoraPlugin = async ({ directory }) => {
  /** Sessions of subagents: which session they work for, and as what. */
  const agents = new Map()
  const versions = new Map()
  const answers = new Map()
  const open = new Set()
  const pending = new Set()

  const about = (session) => {
    const agent = agents.get(session)
    const whole = agent?.parent ?? session
    const payload = { session_id: whole, cwd: directory, host_version: versions.get(whole) }
    return agent ? { ...payload, agent_id: session, agent_type: agent.type } : payload
  }
  const later = (event, payload) => {
    const telling = tell(event, payload).finally(() => pending.delete(telling))
    pending.add(telling)
  }

  const moments = {
    "session.created": ({ info }) => {
      versions.set(info.id, info.version)
      if (info.parentID) {
        agents.set(info.id, { parent: agents.get(info.parentID)?.parent ?? info.parentID, type: "" })
        return
      }
      open.add(info.id)
      later("session-start", { ...about(info.id), source: "startup" })
    },
    "session.compacted": ({ sessionID }) => later("post-compact", about(sessionID)),
    "session.idle": ({ sessionID }) => {
      const moment = agents.has(sessionID) ? "subagent-stop" : "stop"
      later(moment, { ...about(sessionID), last_assistant_message: answers.get(sessionID) })
      answers.delete(sessionID)
    },
    // A tool that fails is not told to those who wait for its end.
    "message.part.updated": ({ part }) => {
      if (part.type !== "tool" || part.state?.status !== "error") return
      const { tool, callID, state } = part
      const failed = { tool_name: tool, tool_use_id: callID, tool_input: state.input, error: state.error }
      later("tool-failure", { ...about(part.sessionID), ...failed })
    },
  }

  return {
    event: safely(async ({ event }) => moments[event.type]?.(event.properties)),

    "chat.message": safely(async (input, output) => {
      const { message, parts } = output
      const session = input.sessionID
      const agent = agents.get(session)
      if (agent && !agent.type) {
        agent.type = input.agent ?? message.agent ?? ""
        later("subagent-start", about(session))
      }
      if (!agent) open.add(session)
      const typed = parts.filter((part) => part.type === "text" && !part.synthetic && !part.ignored)
      const prompt = typed.map((part) => part.text).join("\n")
      const text = await tell("user-prompt", { ...about(session), prompt_id: message.id, prompt })
      if (!text) return
      // Parts are kept in the order of their ids: this one comes last.
      const id = `prt_zz${Date.now().toString(16)}${Math.random().toString(36).slice(2, 12)}`
      parts.push({ id, sessionID: session, messageID: message.id, type: "text", text, synthetic: true })
    }),

    "tool.execute.after": safely(async (input, output) => {
      const { tool, callID, sessionID, args } = input
      const exit = output.metadata?.exit
      const failed = typeof exit === "number" && exit !== 0
      const text = await tell(failed ? "tool-failure" : "post-tool-use", {
        ...about(sessionID),
        tool_name: tool,
        tool_use_id: callID,
        tool_input: args,
        tool_response: output.content ? { content: output.content, isError: output.isError } : output.output,
        error: failed ? `exit code ${exit}` : undefined,
      })
      if (!text) return
      if (typeof output.output === "string") output.output += `\n\n${text}`
      else if (Array.isArray(output.content)) output.content.push({ type: "text", text })
    }),

    "experimental.text.complete": safely(async ({ sessionID }, { text }) => {
      answers.set(sessionID, text)
    }),

    dispose: safely(async () => {
      for (const session of open) later("session-end", { ...about(session), reason: "dispose" })
      await Promise.all(pending)
    }),
  }
}
