/** Message of JSON-RPC, as in https://modelcontextprotocol.io/specification */
type Message = {
  id?: string | number;
  method?: string;
  params?: { protocolVersion?: string; arguments?: { text?: string } };
};

const tool = {
  name: 'take_note',
  description: 'Takes a note.',
  inputSchema: {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
  },
};

/** Answers a message as an MCP server with one tool. Returns undefined for messages that need no answer. */
export function answerMcp({ id, method, params }: Message, way: 'stdio' | 'http') {
  if (id === undefined || method === undefined) return undefined;
  return { jsonrpc: '2.0', id, result: resultOf() };

  function resultOf() {
    switch (method) {
      case 'initialize':
        return {
          protocolVersion: params?.protocolVersion ?? '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'notes', version: '1.0.0' },
        };
      case 'tools/list':
        return { tools: [tool] };
      case 'tools/call':
        return {
          content: [{ type: 'text', text: `noted over ${way}: ${params?.arguments?.text}` }],
        };
      default:
        return {};
    }
  }
}
