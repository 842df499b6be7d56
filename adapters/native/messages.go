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
	from := len(dst)
	if rawjson.IsNull(v) {
		return dst, nil
	}
	if err := readList(v, "messages", &dst, messageMembers); err != nil {
		return dst, err
	}
	for i := range dst[from:] {
		if err := checkMessage(&dst[from+i], "messages."+strconv.Itoa(i)); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// AppendMessages writes a list of messages.
func (messages) AppendMessages(dst []byte, ms []hub.Message, _ *hub.Losses) []byte {
	w := jsonwriter.New(dst)
	writeList(w, ms, messageMembers)
	return w.Buf
}

func messageMembers(m *hub.Message) []member {
	return []member{
		word("role", &m.Role, hub.ParseRole),
		text("id", &m.ID),
		text("name", &m.Name),
		flag("joins", &m.Joins),
		note("meta", &m.Meta),
		list("parts", &m.Parts, partMembers),
	}
}

func partMembers(p *hub.Part) []member {
	return []member{
		word("kind", &p.Kind, hub.ParsePartKind),
		text("id", &p.ID),
		text("name", &p.Name),
		text("text", &p.Text),
		value("value", 0, &p.Value),
		text("title", &p.Title),
		text("sig", &p.Sig),
		optional("file", &p.File, fileMembers),
		note("meta", &p.Meta),
		flag("client_runs", &p.ClientRuns),
		flag("dynamic", &p.Dynamic),
		optional("approval", &p.Approval, approvalMembers),
		optional("result", &p.Result, resultMembers),
	}
}

func fileMembers(f *hub.FileRef) []member {
	return []member{
		text("media", &f.Media), text("name", &f.Name), text("url", &f.URL), text("file_id", &f.FileID), text("base64", &f.Base64),
	}
}

func resultMembers(r *hub.CallResult) []member {
	return []member{
		word("status", &r.Status, hub.ParseStatus),
		text("id", &r.ID),
		text("text", &r.Text),
		value("value", 0, &r.Value),
		value("content", '[', &r.Content),
		text("err", &r.Err),
	}
}

func approvalMembers(a *hub.Approval) []member {
	return []member{
		text("id", &a.ID), text("sig", &a.Sig), flag("decided", &a.Decided), flag("approved", &a.Approved), text("reason", &a.Reason),
	}
}

// note is what another dialect notes: {"dialect":…,"raw":…}.
func note(name string, m *hub.Meta) member {
	dialect := []byte(m.Dialect)
	inner := object(name, []member{text("dialect", &dialect), value("raw", 0, &m.Raw)})
	return member{name, func(v rawjson.Value, path string) error {
		err := inner.read(v, path)
		m.Dialect = string(dialect)
		return err
	}, inner.write}
}

// checkMessage refuses what the other dialects cannot meet in a message.
func checkMessage(m *hub.Message, path string) error {
	if m.Role == hub.RoleNone {
		return hub.NewError(hub.ReasonMissing, path+".role", -1, "every message needs a role")
	}
	for i := range m.Parts {
		if err := checkPart(m, &m.Parts[i], path+".parts."+strconv.Itoa(i)); err != nil {
			return err
		}
	}
	return nil
}

func checkPart(m *hub.Message, p *hub.Part, path string) error {
	switch {
	case p.Kind == hub.PartNone:
		return hub.NewError(hub.ReasonMissing, path+".kind", -1, "every part needs a kind")
	case p.Kind == hub.PartCall && m.Role != hub.RoleAgent && m.Role != hub.RoleResults:
		return hub.NewError(hub.ReasonUnknown, path+".kind", -1, "calls are the agent's")
	case m.Role == hub.RoleResults && (p.Kind != hub.PartCall || p.Result == nil):
		return hub.NewError(hub.ReasonMissing, path+".result", -1, "a message of role results holds nothing else")
	case p.Result != nil && (p.Result.Status < hub.StatusOK || p.Result.Status > hub.StatusDenied):
		return hub.NewError(hub.ReasonUnknown, path+".result.status", -1, "want ok, error or denied")
	case p.File == nil && (p.Kind == hub.PartFile || p.Kind == hub.PartSource):
		p.File = new(hub.FileRef)
	}
	return nil
}
