package evolve

import (
	"slices"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

var optionSpecs = []hub.OptionSpec{
	{
		Name: "end", Type: hub.OptionEnum, Default: "auto", Values: []string{"auto", "eof", "lifecycle"}, Decode: true,
		Doc: "When the end of the body is a good end: if no terminal record was promised (auto), always (eof), never (lifecycle).",
	},
	{
		Name: "stdio", Type: hub.OptionEnum, Default: "raw", Values: []string{"raw", "join", "drop"}, Decode: true,
		Doc: "Chunks of stdout and stderr: each as it came (raw), their parts joined to data events (join), or not at all (drop).",
	},
	{
		Name: "browser", Type: hub.OptionBool, Default: "false", Decode: true,
		Doc: "Marks tools that drive a browser and tells the URLs in their results as data.",
	},
	{
		Name: "line_base", Type: hub.OptionEnum, Default: "0", Values: []string{"0", "1"}, Decode: true, Encode: true,
		Doc: "Number of the first line in locations, outside ACP where it is 1.",
	},
	{
		Name: "envelope", Type: hub.OptionEnum, Default: "output-event", Values: []string{"output-event", "bridge", "acp"},
		Encode: true,
		Doc:    "What is around an update: an OutputEvent, a notification of the Python bridge, or one of ACP.",
	},
	{
		Name: "lifecycle", Type: hub.OptionEnum, Default: "on", Values: []string{"on", "off"}, Encode: true,
		Doc: "Writes run_start and run_complete for streams that have none; a bad end is written in any case.",
	},
	{
		Name: "session", Type: hub.OptionText, Encode: true,
		Doc: "Session id of all records; by default that of the stream, if it has one.",
	},
	{
		Name: "announce", Type: hub.OptionEnum, Default: "ready", Values: []string{"ready", "start"}, Encode: true,
		Doc: "Writes a tool_call when its arguments are complete, or at once with a provisional title.",
	},
	{
		Name: "progress", Type: hub.OptionEnum, Default: "replace", Values: []string{"replace", "drop"}, Encode: true,
		Doc: "Partial output of tools: as all content so far, or not before the end.",
	},
	{
		Name: "max_output", Type: hub.OptionInt, Default: "262144", Encode: true,
		Doc: "Bytes of output up to which a tool shows progress.",
	},
	{
		Name: "lanes", Type: hub.OptionEnum, Default: "fold", Values: []string{"fold", "parent", "drop"}, Encode: true,
		Doc: "Sub-agents: as output of a tool call, as records that name it (parentToolCallId), or not at all.",
	},
	{
		Name: "errors", Type: hub.OptionEnum, Default: "update", Values: []string{"update", "text"}, Encode: true,
		Doc: "Errors: as error updates, or as text of the agent for clients that do not know those.",
	},
	{
		Name: "extensions", Type: hub.OptionBool, Default: "true", Encode: true,
		Doc: "Writes data that has no form here as _data updates.",
	},
	{
		Name: "todo_tools", Type: hub.OptionList, Default: "TodoWrite,todo_list", Encode: true,
		Doc: "Names of tools whose calls are shown as a plan only.",
	},
	{
		Name: "kinds", Type: hub.OptionMap, Encode: true,
		Doc: "Kinds by tool name, before those of the table.",
	},
	{
		Name: "prompt_id", Type: hub.OptionInt, Default: "1", Encode: true,
		Doc: "Id of the request that the end of the run answers, with the envelope acp.",
	},
}

type endRule uint8

const (
	endAuto endRule = iota
	endEOF
	endLifecycle
)

type stdioRule uint8

const (
	stdioRaw stdioRule = iota
	stdioJoin
	stdioDrop
)

type decodeOptions struct {
	end      endRule
	stdio    stdioRule
	browser  bool
	lineBase int64
}

func parseDecodeOptions(o hub.Options) decodeOptions {
	return decodeOptions{
		end:      endRule(index(o, "end")),
		stdio:    stdioRule(index(o, "stdio")),
		browser:  o.Bool("browser"),
		lineBase: int64(index(o, "line_base")),
	}
}

type envelope uint8

const (
	envelopeOutput envelope = iota
	envelopeBridge
	envelopeACP
)

type encodeOptions struct {
	envelope      envelope
	lifecycle     bool
	session       string
	announceStart bool
	progressDrop  bool
	maxOutput     int
	subAgents     subAgentHow
	errorText     bool
	extensions    bool
	todoTools     []string
	kinds         map[string]string
	promptID      []byte
	lineBase      int64
}

func parseEncodeOptions(o hub.Options) encodeOptions {
	opt := encodeOptions{
		envelope:      envelope(index(o, "envelope")),
		lifecycle:     o.Enum("lifecycle") == "on",
		session:       escaped(o.Text("session")),
		announceStart: o.Enum("announce") == "start",
		progressDrop:  o.Enum("progress") == "drop",
		maxOutput:     o.Int("max_output"),
		subAgents:     [...]subAgentHow{subAgentFold, subAgentParent, subAgentDrop}[index(o, "lanes")],
		errorText:     o.Enum("errors") == "text",
		extensions:    o.Bool("extensions"),
		kinds:         map[string]string{},
		promptID:      strconv.AppendInt(nil, int64(o.Int("prompt_id")), 10),
		lineBase:      int64(index(o, "line_base")),
	}
	for _, n := range o.List("todo_tools") {
		opt.todoTools = append(opt.todoTools, escaped(n))
	}
	for tool, kind := range o.Map("kinds") {
		opt.kinds[escaped(tool)] = escaped(kind)
	}
	if opt.envelope == envelopeACP {
		opt.lineBase = 1
	}
	return opt
}

// index is the place of an enum's value among those declared.
func index(o hub.Options, option string) int {
	at := slices.IndexFunc(optionSpecs, func(s hub.OptionSpec) bool { return s.Name == option })
	return max(slices.Index(optionSpecs[at].Values, o.Enum(option)), 0)
}

// escaped is the string body of a plain text.
func escaped(plain string) string { return string(rawjson.AppendEscaped(nil, []byte(plain))) }
