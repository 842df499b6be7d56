package native

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// messages reads and writes conversations with nothing lost. It is the form that others are compared with.
type messages struct{}

// DecodeMessages reads a list of messages. What no message can be is an error.
func (messages) DecodeMessages(dst []hub.Message, v rawjson.Value) ([]hub.Message, error) {
	if rawjson.IsNull(v) {
		return dst, nil
	}
	if err := readConversation(&dst, v); err != nil {
		return dst, within("messages", err)
	}
	return dst, nil
}

// readConversation appends messages, each of them checked.
func readConversation(dst *[]hub.Message, v rawjson.Value) *hub.Error {
	from := len(*dst)
	if err := readList(v, dst, messageMembers); err != nil {
		return err
	}
	for i := range (*dst)[from:] {
		if err := checkMessage(&(*dst)[from+i]); err != nil {
			return within(strconv.Itoa(i), err)
		}
	}
	return nil
}

// AppendMessages writes a list of messages.
func (messages) AppendMessages(dst []byte, ms []hub.Message, _ *hub.Losses) []byte {
	w := jsonwriter.New(dst)
	writeList(w, ms, messageMembers)
	return w.Buf
}

var messageMembers = []member[hub.Message]{
	word("role", func(of *hub.Message) *hub.Role { return &of.Role }, hub.ParseRole),
	text("id", func(of *hub.Message) *[]byte { return &of.ID }),
	text("name", func(of *hub.Message) *[]byte { return &of.Name }),
	flag("joins", func(of *hub.Message) *bool { return &of.Joins }),
	object("meta", func(of *hub.Message) *hub.Meta { return &of.Meta }, noteMembers),
	list("parts", func(of *hub.Message) *[]hub.Part { return &of.Parts }, partMembers),
}

var partMembers = []member[hub.Part]{
	word("kind", func(of *hub.Part) *hub.PartKind { return &of.Kind }, hub.ParsePartKind),
	text("id", func(of *hub.Part) *[]byte { return &of.ID }),
	text("name", func(of *hub.Part) *[]byte { return &of.Name }),
	text("text", func(of *hub.Part) *[]byte { return &of.Text }),
	value("value", 0, func(of *hub.Part) *[]byte { return &of.Value }),
	text("title", func(of *hub.Part) *[]byte { return &of.Title }),
	text("sig", func(of *hub.Part) *[]byte { return &of.Sig }),
	optional("file", func(of *hub.Part) **hub.FileRef { return &of.File }, fileMembers),
	object("meta", func(of *hub.Part) *hub.Meta { return &of.Meta }, noteMembers),
	flag("client_runs", func(of *hub.Part) *bool { return &of.ClientRuns }),
	flag("dynamic", func(of *hub.Part) *bool { return &of.Dynamic }),
	optional("approval", func(of *hub.Part) **hub.Approval { return &of.Approval }, approvalMembers),
	optional("result", func(of *hub.Part) **hub.CallResult { return &of.Result }, resultMembers),
}

var fileMembers = []member[hub.FileRef]{
	text("media", func(of *hub.FileRef) *[]byte { return &of.Media }),
	text("name", func(of *hub.FileRef) *[]byte { return &of.Name }),
	text("url", func(of *hub.FileRef) *[]byte { return &of.URL }),
	text("file_id", func(of *hub.FileRef) *[]byte { return &of.FileID }),
	text("base64", func(of *hub.FileRef) *[]byte { return &of.Base64 }),
}

var resultMembers = []member[hub.CallResult]{
	word("status", func(of *hub.CallResult) *hub.Status { return &of.Status }, hub.ParseStatus),
	text("id", func(of *hub.CallResult) *[]byte { return &of.ID }),
	text("text", func(of *hub.CallResult) *[]byte { return &of.Text }),
	value("value", 0, func(of *hub.CallResult) *[]byte { return &of.Value }),
	value("content", '[', func(of *hub.CallResult) *[]byte { return &of.Content }),
	text("err", func(of *hub.CallResult) *[]byte { return &of.Err }),
}

var approvalMembers = []member[hub.Approval]{
	text("id", func(of *hub.Approval) *[]byte { return &of.ID }),
	text("sig", func(of *hub.Approval) *[]byte { return &of.Sig }),
	flag("decided", func(of *hub.Approval) *bool { return &of.Decided }),
	flag("approved", func(of *hub.Approval) *bool { return &of.Approved }),
	text("reason", func(of *hub.Approval) *[]byte { return &of.Reason }),
}

// noteMembers are those of what another dialect notes.
var noteMembers = []member[hub.Meta]{
	{"dialect", func(of *hub.Meta, v rawjson.Value) *hub.Error {
		if rawjson.Kind(v) != '"' {
			return wrong("want a string")
		}
		of.Dialect = string(rawjson.Body(v))
		return nil
	}, func(w *jsonwriter.Writer, of *hub.Meta) { w.TextIf("dialect", []byte(of.Dialect)) }},
	value("raw", 0, func(of *hub.Meta) *rawjson.Value { return &of.Raw }),
}

// checkMessage refuses what the other dialects cannot meet in a message.
func checkMessage(m *hub.Message) *hub.Error {
	if m.Role == hub.RoleNone {
		return hub.NewError(hub.ReasonMissing, "role", -1, "every message needs a role")
	}
	for i := range m.Parts {
		if err := checkPart(m, &m.Parts[i]); err != nil {
			return within("parts."+strconv.Itoa(i), err)
		}
	}
	return nil
}

func checkPart(m *hub.Message, p *hub.Part) *hub.Error {
	switch {
	case p.Kind == hub.PartNone:
		return hub.NewError(hub.ReasonMissing, "kind", -1, "every part needs a kind")
	case p.Kind == hub.PartCall && m.Role != hub.RoleAgent && m.Role != hub.RoleResults:
		return hub.NewError(hub.ReasonUnknown, "kind", -1, "calls are the agent's")
	case m.Role == hub.RoleResults && (p.Kind != hub.PartCall || p.Result == nil):
		return hub.NewError(hub.ReasonMissing, "result", -1, "a message of role results holds nothing else")
	case p.Result != nil && (p.Result.Status < hub.StatusOK || p.Result.Status > hub.StatusDenied):
		return hub.NewError(hub.ReasonUnknown, "result.status", -1, "want ok, error or denied")
	case p.Kind == hub.PartRaw && p.Value == nil: // a member that is null counts as left out
		p.Value = rawjson.OrNull(p.Value)
	case p.File == nil && (p.Kind == hub.PartFile || p.Kind == hub.PartSource):
		p.File = new(hub.FileRef)
	}
	return nil
}
