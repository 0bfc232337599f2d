"""A project's tools, resources and prompts for clients of the Model Context Protocol. The library `mcp` is imported
in here only, and this package only where someone speaks the protocol."""
