"""What a language model may do with a project, as tools: for clients over MCP and for the conversation agent."""
