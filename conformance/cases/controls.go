package main

import "strings"

// controls are streams with one fault each, by target. They prove that the judges judge: each must be rejected, or be
// understood otherwise than it was meant.
var controls = map[string][]*Case{
	"adk":                 adkControls,
	"claude-cli":          claudeControls,
	"anthropic":           anthropicControls,
	"bedrock":             bedrockControls,
	"openai-responses":    responsesControls,
	"gemini":              geminiControls,
	"gemini-interactions": interactionsControls,
	"aisdk":               aisdkControls,
	"datastream":          datastreamControls,
	"acp":                 acpControls,
	"langgraph":           langgraphControls,
	"mastra":              mastraControls,
	"openai-chat":         openaichatControls,
	"a2a":                 a2aControls,
	"agui": {
		aguiControl("a text that was not opened", hello(),
			`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"Hello"}`, `{"type":"TEXT_MESSAGE_END","messageId":"m1"}`, aguiEnd),
		aguiControl("the end of the run inside a text", hello(),
			`{"type":"TEXT_MESSAGE_START","messageId":"m1"}`, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"Hello"}`, aguiEnd),
		aguiControl("a null where nothing should be", hello(),
			`{"type":"TEXT_MESSAGE_START","messageId":"m1","metadata":null}`, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"Hello"}`,
			`{"type":"TEXT_MESSAGE_END","messageId":"m1"}`, aguiEnd),
		aguiControl("an event of no known type", hello(), aguiHello[0], aguiHello[1], aguiHello[2], `{"type":"SABIR_EVENT"}`, aguiEnd),
		aguiControl("a patch that does not apply", hello(), aguiHello[0], aguiHello[1], aguiHello[2],
			`{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/none","value":1}]}`, aguiEnd),
		aguiControl("no end", hello(), aguiHello[:]...),
		aguiControl("an error in place of success", hello(), aguiHello[0], aguiHello[1], aguiHello[2], `{"type":"RUN_ERROR","message":"x"}`),
		aguiControl("a text with a letter missing", hello(),
			`{"type":"TEXT_MESSAGE_START","messageId":"m1"}`, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"Hell"}`,
			`{"type":"TEXT_MESSAGE_END","messageId":"m1"}`, aguiEnd),
		aguiControl("a call that was never made", hello(), aguiHello[0], aguiHello[1], aguiHello[2],
			`{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"a"}`, `{"type":"TOOL_CALL_END","toolCallId":"c1"}`, aguiEnd),
		aguiControl("text under the id of an activity", hello(),
			`{"type":"ACTIVITY_SNAPSHOT","messageId":"m1","activityType":"PLAN","content":{}}`, aguiHello[0], aguiHello[1], aguiHello[2], aguiEnd),
		aguiControl("text under the id of reasoning", &Meaning{
			Answers: []string{"Hello"}, Reasoning: []string{"hm"}, Users: []string{}, Others: []string{}, Agents: []string{},
			Interrupts: []string{}, End: "success",
		},
			`{"type":"REASONING_START","messageId":"m1"}`, `{"type":"REASONING_MESSAGE_START","messageId":"m1","role":"reasoning"}`,
			`{"type":"REASONING_MESSAGE_CONTENT","messageId":"m1","delta":"hm"}`, `{"type":"REASONING_MESSAGE_END","messageId":"m1"}`,
			`{"type":"REASONING_END","messageId":"m1"}`, aguiHello[0], aguiHello[1], aguiHello[2], aguiEnd),
	},
}

const (
	aguiStart = `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`
	aguiEnd   = `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`
)

// aguiHello is a text without a fault.
var aguiHello = [...]string{
	`{"type":"TEXT_MESSAGE_START","messageId":"m1"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"Hello"}`,
	`{"type":"TEXT_MESSAGE_END","messageId":"m1"}`,
}

// hello is what the controls are meant to say.
func hello() *Meaning {
	m := newMeaning()
	m.Answers, m.End = []string{"Hello"}, "success"
	return m
}

func aguiControl(fault string, m *Meaning, records ...string) *Case {
	if m.Tools == nil {
		m.Tools = []*Tool{}
	}
	body := "data: " + strings.Join(append([]string{aguiStart}, records...), "\n\ndata: ") + "\n\n"
	return &Case{Name: "control: " + fault, Target: "agui", Body: body, Type: "text/event-stream", Meaning: m, Control: true}
}
