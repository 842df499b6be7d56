package native

import (
	"slices"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
)

// requests reads and writes the canonical request.
type requests struct{}

// DecodeRequest reads a request. What is of another type than it should be is an error.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	o, err := rawjson.DecodeObject(body)
	if err != nil {
		return hub.JSONError(err)
	}
	if rawjson.Kind(body) != '{' {
		return wrong(wants['{'])
	}
	req.Body = body
	if err := readMembers(req, o, requestMembers); err != nil {
		return err
	}
	if err := saysSomething(req, o); err != nil {
		return err
	}
	req.Tools.Known = rawjson.Kind(o.Get("tools")) == '['
	for i := range req.Tools.Defs {
		req.Tools.Add(req.Tools.Defs[i].Name)
	}
	req.Remember(true)
	return nil
}

// saysSomething fails for a body without what is said, such as one of another dialect.
func saysSomething(req *hub.Request, o *rawjson.Object) error {
	if slices.ContainsFunc(req.Messages, func(m hub.Message) bool { return len(m.Parts) > 0 }) {
		return nil
	}
	messages, i := o.Get("messages"), 0
	for m := range rawjson.Each(messages) {
		if rawjson.IsNull(rawjson.Get(m, "parts")) && !rawjson.IsNull(rawjson.Get(m, "content")) {
			return hub.NewError(hub.ReasonMissing, "messages."+strconv.Itoa(i)+".parts", -1, "want what is said")
		}
		i++
	}
	if rawjson.IsNull(messages) && hasOthers(o) {
		return hub.NewError(hub.ReasonMissing, "messages", -1, "want what is said")
	}
	return nil
}

// hasOthers reports whether an object has members that requests do not have.
func hasOthers(o *rawjson.Object) bool {
	for key := range o.All() {
		if !slices.ContainsFunc(requestMembers, func(m member[hub.Request]) bool { return m.name == string(key) }) {
			return true
		}
	}
	return false
}

// AppendRequest writes a request. Nothing is lost.
func (requests) AppendRequest(dst []byte, req *hub.Request, _ *hub.Losses) ([]byte, error) {
	w := jsonwriter.New(dst)
	writeMembers(w, req, requestMembers)
	return w.Buf, nil
}

var requestMembers = []member[hub.Request]{
	text("thread", func(of *hub.Request) *[]byte { return &of.Thread }),
	text("run", func(of *hub.Request) *[]byte { return &of.Run }),
	text("model", func(of *hub.Request) *[]byte { return &of.Model }),
	text("previous", func(of *hub.Request) *[]byte { return &of.Previous }),
	flag("partial", func(of *hub.Request) *bool { return &of.Partial }),
	flag("keep", func(of *hub.Request) *bool { return &of.Keep }),
	flag("prepare", func(of *hub.Request) *bool { return &of.Prepare }),
	flag("usage", func(of *hub.Request) *bool { return &of.Usage }),
	// What the client wants in one piece may be asked for as a stream.
	{"whole", flag("whole", func(of *hub.Request) *bool { return &of.Whole }).read, flag("whole", func(of *hub.Request) *bool { return &of.AskWhole }).write},
	word("trigger", func(of *hub.Request) *hub.Trigger { return &of.Trigger }, hub.ParseTrigger),
	{"messages", func(of *hub.Request, v rawjson.Value) *hub.Error { return readConversation(&of.Messages, v) }, list("messages", func(of *hub.Request) *[]hub.Message { return &of.Messages }, messageMembers).write},
	list("answers", func(of *hub.Request) *[]hub.Decision { return &of.Answers }, decisionMembers),
	list("tools", func(of *hub.Request) *[]hub.Tool { return &of.Tools.Defs }, toolMembers),
	object("choice", func(of *hub.Request) *hub.ToolChoice { return &of.Choice }, choiceMembers),
	object("settings", func(of *hub.Request) *hub.Settings { return &of.Settings }, settingMembers()),
	value("state", 0, func(of *hub.Request) *[]byte { return &of.State }),
	list("context", func(of *hub.Request) *[]hub.Context { return &of.Context }, contextMembers),
	object("extra", func(of *hub.Request) *hub.Meta { return &of.Extra }, noteMembers),
}

var decisionMembers = []member[hub.Decision]{
	text("ask", func(of *hub.Decision) *[]byte { return &of.Ask }),
	text("call", func(of *hub.Decision) *[]byte { return &of.Call }),
	flag("cancelled", func(of *hub.Decision) *bool { return &of.Cancelled }),
	flag("decided", func(of *hub.Decision) *bool { return &of.Decided }),
	flag("approved", func(of *hub.Decision) *bool { return &of.Approved }),
	text("reason", func(of *hub.Decision) *[]byte { return &of.Reason }),
	value("payload", 0, func(of *hub.Decision) *[]byte { return &of.Payload }),
}

var toolMembers = []member[hub.Tool]{
	text("name", func(of *hub.Tool) *[]byte { return &of.Name }),
	text("description", func(of *hub.Tool) *[]byte { return &of.Description }),
	value("schema", 0, func(of *hub.Tool) *[]byte { return &of.Schema }),
	{"strict", readStrict, func(w *jsonwriter.Writer, of *hub.Tool) { w.ValueIf("strict", of.Strict) }},
	object("meta", func(of *hub.Tool) *hub.Meta { return &of.Meta }, noteMembers),
}

var choiceMembers = []member[hub.ToolChoice]{
	word("mode", func(of *hub.ToolChoice) *hub.ChoiceMode { return &of.Mode }, hub.ParseChoiceMode),
	texts("names", func(of *hub.ToolChoice) *[][]byte { return &of.Names }),
}

var contextMembers = []member[hub.Context]{
	text("description", func(of *hub.Context) *[]byte { return &of.Description }),
	text("value", func(of *hub.Context) *[]byte { return &of.Value }),
}

var formatMembers = []member[hub.Format]{
	word("kind", func(of *hub.Format) *hub.FormatKind { return &of.Kind }, hub.ParseFormatKind),
	text("name", func(of *hub.Format) *[]byte { return &of.Name }),
	value("schema", 0, func(of *hub.Format) *[]byte { return &of.Schema }),
	value("strict", 't', func(of *hub.Format) *[]byte { return &of.Strict }),
	text("description", func(of *hub.Format) *[]byte { return &of.Description }),
}

func settingMembers() (all []member[hub.Settings]) {
	for _, known := range settings.Known {
		if known.Kind == '"' {
			all = append(all, text(known.Name, known.Of))
		} else {
			all = append(all, value(known.Name, known.Kind, known.Of))
		}
	}
	return append(all, object("format", func(of *hub.Settings) *hub.Format { return &of.Format }, formatMembers))
}

// readStrict reads whether the arguments of a tool are kept to its schema: true, false, or "auto".
func readStrict(of *hub.Tool, v rawjson.Value) *hub.Error {
	if kind := rawjson.Kind(v); kind != 't' && kind != 'f' && string(v) != hub.StrictAuto {
		return wrong(wants['t'])
	}
	of.Strict = v
	return nil
}
