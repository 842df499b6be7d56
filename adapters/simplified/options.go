package simplified

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Values of enums.
const (
	reasoningBlock = "block"
	reasoningDrop  = "drop"
	failureText    = "text"
	failureBoth    = "error_end"
)

var optionSpecs = []hub.OptionSpec{
	{Name: "orphan_think", Type: hub.OptionInt, Default: "0", Decode: true,
		Doc: "Bytes of text kept back, at the start and after every element, for a </think> that was never opened; 0 forwards at once."},
	{Name: "version", Type: hub.OptionEnum, Default: "1", Values: []string{"1", "2"}, Encode: true,
		Doc: "Version to write: 2 has questions and approvals, and shows more arguments."},
	{Name: "message_id", Type: hub.OptionText, Encode: true,
		Doc: "Id of the message; by default that of the stream, or one made of the ids of the run."},
	{Name: "attr_limit", Type: hub.OptionInt, Default: "350", Encode: true,
		Doc: "UTF-16 units that an attribute made of an argument is cut to; 0 for no limit."},
	{Name: "error_limit", Type: hub.OptionInt, Default: "500", Encode: true,
		Doc: "UTF-16 units that the error of a tool is cut to; 0 for no limit."},
	{Name: "todo_tools", Type: hub.OptionList, Default: "todo_list,TodoWrite", Encode: true,
		Doc: "Tools whose calls are shown as todo_update instead."},
	{Name: "hidden_tools", Type: hub.OptionList, Default: "deep_research", Encode: true,
		Doc: "Tools whose calls are not shown, because something else shows what they do."},
	{Name: "todo_limit", Type: hub.OptionInt, Default: "0", Encode: true,
		Doc: "Entries that a todo_update holds at most; 0 for all."},
	{Name: "extra", Type: hub.OptionList, Default: "videoId", Encode: true,
		Doc: "String members of a tool's result that are sent as extra."},
	{Name: "reasoning", Type: hub.OptionEnum, Default: "chunk", Values: []string{"chunk", reasoningBlock, reasoningDrop}, Encode: true,
		Doc: "A think element for every piece of reasoning, one for each part of it, or none."},
	{Name: "announce", Type: hub.OptionEnum, Default: "ready", Values: []string{"ready", "start"}, Encode: true,
		Doc: "Writes tool_call_started when the arguments are complete, or at once with the arguments to follow as extra."},
	{Name: "lanes", Type: hub.OptionEnum, Default: "nest", Values: []string{"nest", "flat"}, Encode: true,
		Doc: "A sub-agent inside another: inside its frames, or beside it."},
	{Name: "failure", Type: hub.OptionEnum, Default: "error", Values: []string{"error", failureBoth, failureText}, Encode: true,
		Doc: "A failed run: as error, as error and messageEnd, or as text of the answer and messageEnd."},
	{Name: "notices", Type: hub.OptionEnum, Default: "progress", Values: []string{"progress", "drop"}, Encode: true,
		Doc: "Notices: as progress, or not at all."},
}

type encodeOptions struct {
	v2            bool
	messageID     []byte // string body
	attrLimit     int
	errorLimit    int
	todoLimit     int
	todoTools     rawjson.Names
	hiddenTools   rawjson.Names
	extra         rawjson.Names
	reasoning     string
	announceStart bool
	flat          bool
	failure       string
	dropNotices   bool
}

func parseEncodeOptions(o hub.Options) encodeOptions {
	return encodeOptions{
		v2:            o.Enum("version") == "2",
		messageID:     rawjson.AppendEscaped(nil, []byte(o.Text("message_id"))),
		attrLimit:     o.Int("attr_limit"),
		errorLimit:    o.Int("error_limit"),
		todoLimit:     o.Int("todo_limit"),
		todoTools:     rawjson.NamesOf(o.List("todo_tools")),
		hiddenTools:   rawjson.NamesOf(o.List("hidden_tools")),
		extra:         rawjson.NamesOf(o.List("extra")),
		reasoning:     o.Enum("reasoning"),
		announceStart: o.Enum("announce") == "start",
		flat:          o.Enum("lanes") == "flat",
		failure:       o.Enum("failure"),
		dropNotices:   o.Enum("notices") == "drop",
	}
}
