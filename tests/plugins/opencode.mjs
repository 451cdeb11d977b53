// Drives Remora's plugin as OpenCode does, with what OpenCode sends and with what it never should. Prints what became
// of each call, one JSON object; whatever the plugin lets through ends this process with an error.
const { RemoraPlugin } = await import(process.argv[2])
const hooks = await RemoraPlugin({ directory: "/w" })
const text = { type: "text", text: "say hello" }
const message = () => ({ message: { id: "msg_1" }, parts: [{ ...text }] })
const seen = {}

const prompt = message()
await hooks.event({ event: { type: "session.created", properties: { info: { id: "s", version: "1" } } } })
await hooks["chat.message"]({ sessionID: "s" }, prompt)
seen.parts = prompt.parts.map((part) => part.text)
const built_in = { title: "t", output: "done", metadata: { exit: 0 } }
await hooks["tool.execute.after"]({ tool: "bash", sessionID: "s", callID: "c", args: {} }, built_in)
seen.built_in = built_in.output
const of_server = { content: [{ type: "text", text: "done" }], isError: false }
await hooks["tool.execute.after"]({ tool: "db_query", sessionID: "s", callID: "c", args: {} }, of_server)
seen.of_server = of_server.content.map((part) => part.text)

// What no host should send.
const odd = [undefined, null, 7, "x", [], {}, { sessionID: 7 }, { info: null }, { part: {} }, { parts: 7, message: null }]
const frozen = Object.freeze({ message: Object.freeze({ id: "m" }), parts: Object.freeze([text]) })
if (process.argv[3] === "odd") {
  for (const name of Object.keys(hooks).filter((name) => name !== "dispose")) {
    for (const input of odd) for (const output of [...odd, frozen]) await hooks[name](input, output)
  }
  for (const type of ["session.created", "session.idle", "session.compacted", "message.part.updated", "toString", 7]) {
    for (const properties of odd) await hooks.event({ event: { type, properties } })
  }
}
await hooks.dispose()
console.log(JSON.stringify(seen))
