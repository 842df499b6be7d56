// @anthropic-ai/claude-agent-sdk 0.3.330: the SDK that starts Claude Code and reads its lines.
import { query } from "@anthropic-ai/claude-agent-sdk";
import { claudeClient } from "../lib/claudecli.mjs";

export default claudeClient({ name: "@anthropic-ai/claude-agent-sdk 0.3.330", query });
