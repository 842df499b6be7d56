package conversation

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Required is the error of a request without the member in which its dialect has what is said; nil if it is there. Such a body is mostly one
// of another dialect, and without the error nothing of it would reach the agent but the question for an answer.
func Required(name string, v rawjson.Value) error {
	if rawjson.IsNull(v) {
		return hub.NewError(hub.ReasonMissing, name, -1, "want what is said")
	}
	return nil
}

// RequiredList is that error, or the one of a member that is no list, of which nothing would reach the agent either.
func RequiredList(name string, v rawjson.Value) error {
	if err := Required(name, v); err != nil {
		return err
	}
	return WantList(name, v)
}

// WantList is the error of a member that is there and no list.
func WantList(name string, v rawjson.Value) error {
	if rawjson.IsNull(v) || rawjson.Kind(v) == '[' {
		return nil
	}
	return hub.NewError(hub.ReasonType, name, -1, "want an array")
}

// Extra are the members of a request that only the API of its dialect knows. isRead holds for those that have a place in the model,
// and for those that change nothing in the answer, such as hints for caches; null and false are as good as nothing.
func Extra(body *rawjson.Object, dialect string, isRead func(key []byte) bool) hub.Meta {
	return members(body, dialect, func(key []byte, v rawjson.Value) bool {
		return !isRead(key) && bytes.IndexByte(key, '\\') < 0 && !rawjson.IsNull(v) && string(v) != "false"
	})
}

// Others are the members of a request beside those of its dialect, which the application has added for its agent.
func Others(body *rawjson.Object, dialect string, own ...string) hub.Meta {
	return members(body, dialect, func(key []byte, _ rawjson.Value) bool { return !slices.Contains(own, string(key)) })
}

func members(body *rawjson.Object, dialect string, keep func(key []byte, v rawjson.Value) bool) hub.Meta {
	w := jsonwriter.New(nil)
	w.Open('{')
	for key, v := range body.All() {
		if keep(key, v) {
			w.Value(string(key), v)
		}
	}
	if len(w.Buf) == 1 {
		return hub.Meta{}
	}
	w.Close('}')
	return hub.Meta{Dialect: dialect, Raw: w.Buf}
}

// AppendExtra appends those of its own dialect.
func AppendExtra(w *jsonwriter.Writer, req *hub.Request, dialect string) {
	for key, v := range rawjson.EachField(req.Extra.Of(dialect)) {
		w.Value(string(key), v)
	}
}

// ReadTool reads the definition of a tool whose members are named as they are nearly everywhere, but for that of its schema.
func ReadTool(o *rawjson.Object, schema string) hub.Tool {
	t := hub.Tool{
		Name: o.Text("name"), Description: o.Text("description"),
		Schema: rawjson.NotNull(o.Get(schema)), Strict: rawjson.OfKind(o.Get("strict"), 't'),
	}
	t.Unread = UnreadOfTool(o)
	return t
}

// WantText is an error if a member that names something is of another type: it would be as if nothing were named.
func WantText(member string, v rawjson.Value) error {
	if rawjson.IsNull(v) || rawjson.Kind(v) == '"' {
		return nil
	}
	return hub.NewError(hub.ReasonType, member, -1, "want a text")
}

// Flag is what a member says that is true or false; set is false if it is left out. Anything else is an error: it would be as if nothing
// were said.
func Flag(member string, v rawjson.Value) (is, set bool, err error) {
	if is, set = rawjson.Bool(v); !set && !rawjson.IsNull(v) {
		err = hub.NewError(hub.ReasonType, member, -1, "want true or false")
	}
	return is, set, err
}

// ReadTools reads a list of tools. Anything else is the loss tools.
func ReadTools(req *hub.Request, list rawjson.Value, read func(v rawjson.Value, o *rawjson.Object) hub.Tool) {
	lostUnless(req, list, '[')
	for v, tool := range rawjson.EachObject(list) {
		req.Tools.Define(read(v, tool))
	}
}

// ReadNamedTools reads an object of tools by their names. Anything else is the loss tools.
func ReadNamedTools(req *hub.Request, named rawjson.Value, read func(name []byte, v rawjson.Value) hub.Tool) {
	lostUnless(req, named, '{')
	for name, v := range rawjson.EachField(named) {
		req.Tools.Define(read(name, v))
	}
}

func lostUnless(req *hub.Request, tools rawjson.Value, kind byte) {
	req.Unread.AddIf("tools", !rawjson.IsNull(tools) && rawjson.Kind(tools) != kind)
}

// LostBeside notes what a request has beside the conversation and the settings of the model, for the APIs of models: they have
// no place for it. dialect is theirs.
func LostBeside(req *hub.Request, dialect string, l *hub.Losses) {
	l.AddIf("state", len(req.State) > 0)
	l.AddIf("context", len(req.Context) > 0)
	l.AddIf("answers", len(req.Answers) > 0)
	l.AddIf("extra", len(req.Extra.Raw) > 0 && req.Extra.Of(dialect) == nil)
}

// Hoist takes the system messages out of a conversation, for dialects that have one place for instructions. Those for which
// stays holds are left in (nil: none). That some did not stand at the beginning is the loss messages.system.
func Hoist(ms []hub.Message, stays func(*hub.Message) bool, l *hub.Losses) (system, rest []hub.Message) {
	leading, others := Leading(ms)
	system = append(system, leading...)
	for i := range others {
		if others[i].Role != hub.RoleSystem || stays != nil && stays(&others[i]) {
			rest = append(rest, others[i])
			continue
		}
		system = append(system, others[i])
		l.Add("messages.system")
	}
	return system, rest
}

// Allowed are the tools that a choice lets the model call, for dialects whose choice cannot name them: the others are left
// out, which is the loss tools.
func Allowed(tools []hub.Tool, c hub.ToolChoice, l *hub.Losses) (allowed []hub.Tool) {
	if len(c.Names) == 0 {
		return tools
	}
	for i := range tools {
		if named(c.Names, tools[i].Name) {
			allowed = append(allowed, tools[i])
		} else {
			l.Add("tools")
		}
	}
	return allowed
}

// Offered are the tools of a request for a dialect whose choice can name one tool and no more, and whether it names one.
func Offered(req *hub.Request, dialect string, l *hub.Losses) (tools []hub.Tool, byName bool) {
	tools = Tools(req.Tools.Defs, dialect, l)
	if req.Choice.Mode == hub.ChoiceRequired && len(req.Choice.Names) == 1 {
		return tools, true
	}
	return Allowed(tools, req.Choice, l), false
}

// Chosen is a choice without the names of tools that are not among those of the request, such as tools which only another API has: APIs refuse
// such a name. It is the loss settings.tool_choice. Where none is left, no tool must be called, and where only those might be, none may.
func Chosen(c hub.ToolChoice, tools []hub.Tool, l *hub.Losses) hub.ToolChoice {
	if len(c.Names) == 0 {
		return c
	}
	defined := make(map[string]bool, len(tools)) // a client names as many as it likes
	for i := range tools {
		defined[string(tools[i].Name)] = len(tools[i].Name) > 0
	}
	var names [][]byte
	for _, name := range c.Names {
		if defined[string(name)] {
			names = append(names, name)
		}
	}
	if len(names) == len(c.Names) {
		return c
	}
	l.Add("settings.tool_choice")
	switch {
	case len(names) > 0:
		return hub.ToolChoice{Mode: c.Mode, Names: names}
	case c.Mode == hub.ChoiceRequired:
		return hub.ToolChoice{}
	}
	return hub.ToolChoice{Mode: hub.ChoiceNone}
}

// Gone is the description of a tool that a request has no definition of.
const Gone = "This tool is not available any more."

// Called are the tools that an agent has called in a conversation, each once, for dialects that take no call in a history where no tool
// is defined. Their description says that they cannot be called.
func Called(ms []hub.Message, dialect string) (tools []hub.Tool) {
	known := map[string]bool{"": true}
	for i := range ms {
		for j := range ms[i].Parts {
			p := &ms[i].Parts[j]
			own := p.Meta.Of(dialect) != nil && !p.ClientRuns // the API has run it
			if p.Kind != hub.PartCall || own || known[string(p.Name)] {
				continue
			}
			known[string(p.Name)] = true
			tools = append(tools, hub.Tool{Name: p.Name, Description: []byte(Gone)})
		}
	}
	return tools
}

func named(names [][]byte, name []byte) bool {
	for _, n := range names {
		if bytes.Equal(n, name) {
			return true
		}
	}
	return false
}

// Blank reports whether a text, a string body, is nothing but white space.
func Blank(body []byte) bool {
	for _, c := range body {
		if c == '\\' {
			return len(bytes.TrimSpace(rawjson.AppendUnescaped(nil, body))) == 0
		}
		if c != ' ' {
			return false
		}
	}
	return true
}

// TrimRight is a text, a string body, without the white space that it ends with.
func TrimRight(body []byte) []byte {
	return rawjson.AppendEscaped(nil, bytes.TrimRight(rawjson.AppendUnescaped(nil, body), " \t\r\n"))
}
