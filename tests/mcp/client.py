"""Plays a script of calls over MCP with the SDK of the protocol's makers, and prints what came back as JSON.

    client.py legacy|auto ROOT|- PROGRAM [ARGUMENT...] < script.json

The script is a list of [tool, arguments]; `prompt:NAME` asks for a prompt. ROOT is the folder that the client has
open. `legacy` speaks the protocol with a greeting, `auto` the newest that both sides know.
"""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters, types


async def play(mode, root, command, script):
    async def roots(_context):
        return types.ListRootsResult(roots=[types.Root(uri="file://" + root)])

    server = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    name = types.Implementation(name="python-sdk", version="1")
    options = {"list_roots_callback": roots} if root != "-" else {}
    async with Client(server, mode=mode, client_info=name, **options) as client:
        said = {
            "protocol": client.protocol_version,
            "instructions": client.instructions,
            "tools": [tool.name for tool in (await client.list_tools()).tools],
            "prompts": [prompt.name for prompt in (await client.list_prompts()).prompts],
            "answers": [],
        }
        for what, arguments in script:
            if what.startswith("prompt:"):
                answer = await client.get_prompt(what.removeprefix("prompt:"), arguments)
                said["answers"].append({"text": answer.messages[0].content.text, "is_error": False})
                continue
            answer = await client.call_tool(what, arguments)
            said["answers"].append({"text": answer.content[0].text, "is_error": bool(answer.is_error)})
        return said


mode, root, *command = sys.argv[1:]
print(json.dumps(asyncio.run(play(mode, root, command, json.load(sys.stdin)))))
