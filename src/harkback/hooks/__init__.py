"""`hark hook`: what an agent program asks before each prompt, answered in a tenth of a second or not at all.

`events` reads what the programs send, `triggers` tells whether a prompt points to the past, `topic` what it asks about,
`speaking` writes what the agent is told. Everything that costs time is imported where it is needed: most prompts point
nowhere, and their answer is nothing.
"""
