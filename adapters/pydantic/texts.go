package pydantic

// The friendly texts that are written where the source has none, by tool. The first four maps stand for the server's
// functions get_tool_run_message, get_tool_response_message, get_tool_call_info_content and get_tool_result_info_content,
// and their siblings for delegations.

var runMessages = map[string]string{
	"fetch_file":                "Fetching file: {path|file_path|filename}",
	"bash_command":              "Running: {command|cmd}",
	"delegate_to_think_execute": "🚀 Starting subagent with full tool access - streaming work in real-time...",
	"delegate_to_jira":          "🎫 Starting Jira integration agent - handling Jira operations...",
	"delegate_to_github":        "🐙 Starting GitHub integration agent - handling repository operations...",
	"delegate_to_confluence":    "📄 Starting Confluence integration agent - handling documentation operations...",
	"delegate_to_linear":        "📋 Starting Linear integration agent - handling issue management...",
	forDelegations:              "🚀 Starting {agent_type} subagent - streaming work in real-time...",
	forAll:                      "Running {tool_name}",
}

var responseMessages = map[string]string{
	"fetch_file":                "File content fetched successfully",
	"bash_command":              "Bash command executed successfully",
	"delegate_to_think_execute": "✅ Subagent completed - returning task result to supervisor",
	"delegate_to_jira":          "✅ Jira agent completed - returning results to supervisor",
	"delegate_to_github":        "✅ GitHub agent completed - returning results to supervisor",
	"delegate_to_confluence":    "✅ Confluence agent completed - returning results to supervisor",
	"delegate_to_linear":        "✅ Linear agent completed - returning results to supervisor",
	forDelegations:              "✅ {agent_type} subagent completed - returning task result to supervisor",
	forAll:                      "{tool_name} completed",
}

// What was asked of a sub-agent, below the headings that our own decoder looks for.
const delegationInfo = "\n\n**Task:**\n{task|task_description|prompt|description|=(not given)}" +
	"\n\n**Context Provided:**\n{context:500|=No context provided}"

var callInfos = map[string]string{
	"fetch_file":                "-> fetching contents for file {path|file_path|filename}",
	"bash_command":              "-> executing command: {command|cmd}{? in directory '{working_directory|directory|cwd|workdir}'}",
	"delegate_to_think_execute": "🤖 **General Subagent**" + delegationInfo,
	"delegate_to_jira":          "🎫 **Jira Integration Agent**" + delegationInfo,
	"delegate_to_github":        "🐙 **GitHub Integration Agent**" + delegationInfo,
	"delegate_to_confluence":    "📄 **Confluence Integration Agent**" + delegationInfo,
	"delegate_to_linear":        "📋 **Linear Integration Agent**" + delegationInfo,
	forDelegations:              "🤖 **{agent_title} Agent**" + delegationInfo,
	forAll:                      "-> {arguments:500}",
}

var resultInfos = map[string]string{
	"bash_command": "{?**Exit code:** {result.exit_code|result.exitCode}}" +
		"{?\n\n**Output:**\n```\n{result.output|result.stdout}\n```}" +
		"{?\n\n**Error:**\n```\n{result.error|result.stderr}\n```}",
	"delegate_to_think_execute": "**General Subagent Result:**\n\n{result}",
	"delegate_to_jira":          "**Jira Agent Result:**\n\n{result}",
	"delegate_to_github":        "**GitHub Agent Result:**\n\n{result}",
	"delegate_to_confluence":    "**Confluence Agent Result:**\n\n{result}",
	"delegate_to_linear":        "**Linear Agent Result:**\n\n{result}",
	forDelegations:              "**{agent_title} Agent Result:**\n\n{result}",
	forAll:                      "{result}",
}

var failureMessages = map[string]string{
	forDelegations: "❌ {agent_type} subagent failed",
	forAll:         "❌ {tool_name} failed",
}
