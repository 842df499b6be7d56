package copilot

import (
	"bytes"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// handler decodes the event at hand.
type handler func(*decoder, []hub.Event) ([]hub.Event, error)

// spec is what is known of one type of event.
type spec struct {
	decode handler
	traits traits
}

// traits are what types of events have in common.
type traits uint8

const (
	ephemeral traits = 1 << iota // never part of the session's log: always written with ephemeral set
	delta                        // comes in masses: looked at only where it must be
	own                          // opens or closes a sub-agent: the handler finds it itself
	plain                        // has no kind of its own: travels as data under the name of its type
	both                         // may travel so, too
)

// is reports whether a type has one of these traits.
func (s spec) is(t traits) bool { return s.traits&t != 0 }

// specs lists the 138 types of version 1.0.14 of the SDK, which include all 35 of version 0.1, and those that Caco adds.
// Of the latter any other type that begins with caco. is plain too.
var specs = makeSpecs()

// makeSpecs is the table of types, by family. What is not in it and is no type of Caco passes as a raw record.
func makeSpecs() map[string]spec {
	all := map[string]spec{}
	add := func(decode handler, has traits, types ...string) {
		for _, t := range types {
			all[t] = spec{decode, has}
		}
	}
	add((*decoder).messageDelta, ephemeral|delta, "assistant.message_delta")
	add((*decoder).reasoningDelta, ephemeral|delta, "assistant.reasoning_delta")
	add((*decoder).nothing, ephemeral|delta, "assistant.streaming_delta")
	add((*decoder).turnRetry, ephemeral, "assistant.turn_retry")
	add((*decoder).toolCallDelta, ephemeral|delta, "assistant.tool_call_delta")
	add((*decoder).messageStart, ephemeral, "assistant.message_start")
	add((*decoder).message, 0, "assistant.message")
	add((*decoder).reasoning, 0, "assistant.reasoning")
	add((*decoder).userMessage, both, "user.message")

	add((*decoder).executionStart, 0, "tool.execution_start")
	add((*decoder).executionProgress, ephemeral, "tool.execution_progress")
	add((*decoder).shellOutput, ephemeral, "tool.shell_output")
	add((*decoder).partialResult, ephemeral, "tool.execution_partial_result")
	add((*decoder).executionComplete, 0, "tool.execution_complete")
	add((*decoder).userRequested, 0, "tool.user_requested")
	add((*decoder).externalTool, both, typeExternalTool)

	add((*decoder).turnStart, 0, "assistant.turn_start")
	add((*decoder).turnEnd, 0, "assistant.turn_end")
	add((*decoder).subagentStarted, own, "subagent.started")
	add((*decoder).subagentCompleted, own, "subagent.completed")
	add((*decoder).subagentFailed, own, "subagent.failed")

	add((*decoder).sessionStart, both, typeStart)
	add((*decoder).sessionIdle, ephemeral, "session.idle")
	add((*decoder).sessionError, 0, "session.error")
	add((*decoder).abort, 0, "abort")
	add((*decoder).usage, ephemeral, "assistant.usage")
	add((*decoder).usageInfo, ephemeral, "session.usage_info")
	add((*decoder).binaryAsset, both, "session.binary_asset")

	add((*decoder).intent, ephemeral, "assistant.intent")
	add((*decoder).notice, both, "session.info", "session.warning", "system.notification")
	add((*decoder).notice, ephemeral|both, "model.call_failure", "hook.progress")

	add((*decoder).permission, both, "permission.requested")
	add((*decoder).question, ephemeral, "user_input.requested", "elicitation.requested", "mcp.oauth_required",
		"exit_plan_mode.requested", "auto_mode_switch.requested", "session_limits_exhausted.requested")
	add((*decoder).answer, both, "permission.completed")
	add((*decoder).answer, ephemeral|both, "user_input.completed", "elicitation.completed", "mcp.oauth_completed",
		"exit_plan_mode.completed", "auto_mode_switch.completed", "session_limits_exhausted.completed")

	add((*decoder).nothing, 0, "system.message")
	add((*decoder).nothing, ephemeral, "agent.interrupted", "sandbox.decision", typeDiagnostic)
	add((*decoder).plain, plain, strings.Fields(plainTypes)...)
	add((*decoder).plain, plain|ephemeral, strings.Fields(plainEphemeralTypes)...)
	return all
}

const plainTypes = `
session.resume session.remote_steerable_changed session.schedule_created session.schedule_cancelled
session.schedule_rearmed session.autopilot_objective_changed session.model_change session.mode_changed
session.mode_notice_delivered session.session_limits_changed session.permissions_changed session.plan_changed
session.workspace_file_changed session.handoff session.truncation session.shutdown session.usage_checkpoint
session.context_changed session.context_cleared session.compaction_start session.compaction_complete
session.task_complete session.completion_receipt session.fusion_route_failed session.fusion_resolved
session.fusion_completed session.auto_mode_resolved session.canvas.recorded session.canvas.removed
assistant.fusion_phase_completed assistant.fusion_phase_failed tool_search.activated skill.invoked
subagent.configured subagent.selected subagent.deselected hook.start hook.end
permission.carriedForward permission.messageAuthorization permission.messageAuthorizationRead
permission.messageAuthorizationDegraded permission.assentDetected permission.contextualAuthorization
caco.embed caco.agent caco.applet caco.reload caco.info`

const plainEphemeralTypes = `
session.title_changed session.auto_tier_recommendation session.auto_tier_switch_failed session.todos_changed
session.snapshot_rewind session.fusion_route_started session.custom_notification
session.managed_settings_resolved session.managed_settings_enforced session.tools_updated
session.background_tasks_changed session.skills_loaded session.custom_agents_updated session.mcp_servers_loaded
session.mcp_server_status_changed session.mcp_server_removed session.mcp_server_needs_reconnect
session.extensions_loaded session.canvas.opened session.canvas.registry_changed session.canvas.closed
session.canvas.unavailable session.extensions.attachments_pushed pending_messages.modified
assistant.fusion_phase_started assistant.fusion_phase_activity assistant.server_tool_progress assistant.idle
model.call_finished sampling.requested sampling.completed mcp.headers_refresh_required
mcp.headers_refresh_completed mcp.tools.list_changed mcp.resources.list_changed mcp.prompts.list_changed
ui.ephemeral_query external_tool.completed command.queued command.execute command.completed commands.changed
capabilities.changed factory.run_updated factory.run_started factory.run_settled mcp_app.tool_call_complete`

const cacoPrefix = "caco."

// specOf returns what is known of a type; ok is false for one that is not known at all.
func specOf(typ []byte) (s spec, ok bool) {
	if s, ok = specs[string(typ)]; ok {
		return s, true
	}
	switch {
	case bytes.HasPrefix(typ, []byte(cacoPrefix)):
		return specs["caco.info"], true
	case bytes.HasPrefix(typ, []byte(modelPrefix)):
		return specs[typeDiagnostic], true
	}
	return s, false
}

// What the CLI says of its calls to the model is for whoever looks for faults in it: prompts, tools and answers as they were sent.
const (
	modelPrefix    = "model."
	typeDiagnostic = "model.log"
)

// typeStart is the event that describes a session.
const typeStart = "session.start"

// isEventType tells the type of an event from that of a control frame: event types have a dot, except one.
func isEventType(typ []byte) bool { return bytes.IndexByte(typ, '.') >= 0 || string(typ) == "abort" }
