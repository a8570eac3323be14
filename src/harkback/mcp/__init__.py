"""MCP: the memory as tools for agents, over stdio (`hark mcp`) and HTTP (`hark serve`).

`catalogue` says what the tools are, `calls` does what they are for, `lists` writes what a client asks first. None of
these knows the SDK, which takes half a second to import: `stdio` answers a client's first questions without it and then
hands the wire over to `sdk`; `http` serves the same over the network.
"""
