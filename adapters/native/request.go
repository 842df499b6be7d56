package native

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
)

// requests reads and writes the canonical request.
type requests struct{}

// DecodeRequest reads a request. What is of another type than it should be is an error.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	var json rawjson.Decoder
	if err := json.Valid(body); err != nil {
		return hub.JSONError(err)
	}
	req.Body = body
	if err := readMembers(body, "", requestMembers(req)); err != nil {
		return err
	}
	req.Tools.Known = rawjson.Kind(rawjson.Get(body, "tools")) == '['
	for i := range req.Tools.Defs {
		req.Tools.Add(req.Tools.Defs[i].Name)
	}
	req.Remember(true)
	return nil
}

// AppendRequest writes a request. Nothing is lost.
func (requests) AppendRequest(dst []byte, req *hub.Request, _ *hub.Losses) ([]byte, error) {
	w := jsonwriter.New(dst)
	writeMembers(w, requestMembers(req))
	return w.Buf, nil
}

func requestMembers(req *hub.Request) []member {
	return []member{
		text("thread", &req.Thread),
		text("run", &req.Run),
		text("model", &req.Model),
		text("previous", &req.Previous),
		flag("partial", &req.Partial),
		flag("keep", &req.Keep),
		flag("prepare", &req.Prepare),
		flag("usage", &req.Usage),
		// What the client wants in one piece may be asked for as a stream.
		{"whole", flag("whole", &req.Whole).read, flag("whole", &req.AskWhole).write},
		word("trigger", &req.Trigger, hub.ParseTrigger),
		conversationMember(req),
		list("answers", &req.Answers, decisionMembers),
		list("tools", &req.Tools.Defs, toolMembers),
		object("choice", []member{word("mode", &req.Choice.Mode, hub.ParseChoiceMode), texts("names", &req.Choice.Names)}),
		object("settings", settingMembers(&req.Settings)),
		value("state", 0, &req.State),
		list("context", &req.Context, contextMembers),
		note("extra", &req.Extra),
	}
}

func conversationMember(req *hub.Request) member {
	return member{"messages", func(v rawjson.Value, _ string) (err error) {
		req.Messages, err = messages{}.DecodeMessages(req.Messages, v)
		return err
	}, list("messages", &req.Messages, messageMembers).write}
}

func decisionMembers(d *hub.Decision) []member {
	return []member{
		text("ask", &d.Ask), text("call", &d.Call), flag("cancelled", &d.Cancelled), flag("decided", &d.Decided), flag("approved", &d.Approved),
		text("reason", &d.Reason), value("payload", 0, &d.Payload),
	}
}

func toolMembers(t *hub.Tool) []member {
	return []member{
		text("name", &t.Name), text("description", &t.Description), value("schema", 0, &t.Schema), value("strict", 't', &t.Strict), note("meta", &t.Meta),
	}
}

func contextMembers(c *hub.Context) []member {
	return []member{text("description", &c.Description), text("value", &c.Value)}
}

func settingMembers(s *hub.Settings) (all []member) {
	for _, m := range settings.All(s) {
		if m.Kind == '"' {
			all = append(all, text(m.Name, m.At))
		} else {
			all = append(all, value(m.Name, m.Kind, m.At))
		}
	}
	f := &s.Format
	return append(all, object("format", []member{
		word("kind", &f.Kind, hub.ParseFormatKind), text("name", &f.Name), value("schema", 0, &f.Schema), value("strict", 't', &f.Strict),
	}))
}
