package pydantic

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// messages is what …/messages/ answers with: texts, of which only those of people and of the agent count.
type messages struct{}

const sentByUser, sentByAgent, sentBySystem = "HUMAN", "AI_GENERATED", "SYSTEM_GENERATED"

// DecodeMessages implements [hub.Messenger].
func (messages) DecodeMessages(dst []hub.Message, v rawjson.Value) ([]hub.Message, error) {
	roles := map[string]hub.Role{sentByUser: hub.RoleUser, sentByAgent: hub.RoleAgent, sentBySystem: hub.RoleSystem}
	for _, o := range rawjson.EachObject(v) {
		role := roles[string(o.Text("type"))]
		if role == hub.RoleNone {
			continue
		}
		m := hub.Message{Role: role, ID: o.Text("id")}
		if text := o.Text("content"); len(text) > 0 {
			m.Parts = []hub.Part{{Kind: hub.PartText, Text: text}}
		}
		dst = append(dst, m)
	}
	return dst, nil
}

// AppendMessages implements [hub.Messenger].
func (messages) AppendMessages(dst []byte, ms []hub.Message, l *hub.Losses) []byte {
	return appendMessages(dst, ms, "", l)
}

func appendMessages(dst []byte, ms []hub.Message, thread string, l *hub.Losses) []byte {
	types := map[hub.Role]string{hub.RoleUser: sentByUser, hub.RoleAgent: sentByAgent, hub.RoleSystem: sentBySystem}
	conversation.LostParts(ms, l)
	w := jsonwriter.New(dst)
	w.Open('[')
	for i := range ms {
		m := &ms[i]
		l.AddIf("messages.result", m.Role == hub.RoleResults)
		for j := range m.Parts {
			l.AddIf("messages.approval", m.Parts[j].Approval != nil)
		}
		if text := conversation.SpokenText(m); types[m.Role] != "" && len(text) > 0 {
			w.Open('{')
			w.TextIf("id", m.ID)
			if thread != "" {
				w.Text("conversation_id", rawjson.AppendEscaped(nil, []byte(thread)))
			}
			w.Text("content", text)
			w.Const("type", types[m.Role])
			w.Const("status", "ACTIVE")
			w.Close('}')
		}
	}
	w.Close(']')
	return w.Buf
}
