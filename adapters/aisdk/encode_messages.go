package aisdk

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
)

// AppendMessages writes messages of the agent's in a row with one id as steps of one message. Agents refuse null, messages
// without parts, and members that they do not know; so what is written is made member by member.
func (messages) AppendMessages(dst []byte, ms []hub.Message, l *hub.Losses) []byte {
	dst, _ = appendMessages(dst, ms, nil, l)
	return dst
}

// appendMessages is AppendMessages with answers to calls that have none of their own. continued is the id of the last message if that
// is the agent's: the answer goes on with it.
func appendMessages(dst []byte, ms []hub.Message, answers map[*hub.Part]*hub.Decision, l *hub.Losses) (list, continued []byte) {
	w := messageWriter{
		Writer: jsonwriter.New(dst), losses: l, ids: conversation.MessageIDs(ms), calls: conversation.CallIDs(ms), answers: answers,
	}
	conversation.LostNames(ms, l)
	w.Open('[')
	for i := 0; i < len(ms); {
		n := 1
		for ms[i].Role == hub.RoleAgent && i+n < len(ms) && ms[i+n].Role == hub.RoleAgent && string(ms[i+n].ID) == string(ms[i].ID) {
			n++
		}
		w.base = conversation.Base(ms[i].ID)
		if w.base == "" {
			w.base = "m" + strconv.Itoa(i+1)
		}
		w.message(ms[i : i+n])
		i += n
	}
	w.Close(']')
	return w.Buf, w.continued
}

type messageWriter struct {
	*jsonwriter.Writer
	losses     *hub.Losses
	ids, calls *conversation.IDs
	answers    map[*hub.Part]*hub.Decision
	base       string // what ids are made of that a message lacks
	sources    int
	continued  []byte
}

// message writes a message with its steps, unless nothing of it has a place.
func (w *messageWriter) message(steps []hub.Message) {
	some := false
	for i := range steps {
		for j := range steps[i].Parts {
			some = w.writable(&steps[i], &steps[i].Parts[j]) || some
		}
	}
	if !some {
		return
	}
	role := [...]string{hub.RoleSystem: "system", hub.RoleUser: "user", hub.RoleAgent: "assistant"}[steps[0].Role]
	id := w.ids.Take(steps[0].ID, w.base)
	if w.continued = nil; steps[0].Role == hub.RoleAgent {
		w.continued = id
	}
	w.Open('{')
	w.Text("id", id)
	w.ValueIf("metadata", steps[0].Meta.Of(Dialect.Name))
	w.Const("role", role)
	w.OpenAt("parts", '[')
	for i := range steps {
		w.step(&steps[i])
	}
	w.Close(']')
	w.Close('}')
}

func (w *messageWriter) step(m *hub.Message) {
	if m.Role == hub.RoleAgent {
		w.Open('{')
		w.Const("type", "step-start")
		w.Close('}')
	}
	for i := range m.Parts {
		if p := &m.Parts[i]; hasPlace(m, p) {
			w.part(p)
		}
	}
}

// writable reports whether a part has a place, and counts it if not.
func (w *messageWriter) writable(m *hub.Message, p *hub.Part) bool {
	if hasPlace(m, p) {
		return true
	}
	switch p.Kind {
	case hub.PartReasoning: // nothing is in it
	case hub.PartCall:
		w.losses.Add("messages.result")
	default:
		conversation.LostPart(p, w.losses)
	}
	return false
}

// hasPlace reports whether a message can have such a part. A result of an unknown call has none.
func hasPlace(m *hub.Message, p *hub.Part) bool {
	switch p.Kind {
	case hub.PartText, hub.PartRefusal:
		return len(p.Text) > 0
	case hub.PartReasoning:
		return m.Role == hub.RoleAgent && (len(p.Text) > 0 || len(p.Sig) > 0 || p.Meta.Of(Dialect.Name) != nil)
	case hub.PartCall:
		return m.Role == hub.RoleAgent
	case hub.PartFile:
		return len(p.File.Base64) > 0 || len(p.File.URL) > 0
	case hub.PartSource:
		return p.File != nil
	case hub.PartData:
		return true
	}
	return p.Meta.Of(Dialect.Name) != nil
}

func (w *messageWriter) part(p *hub.Part) {
	if p.Kind == hub.PartRaw {
		w.Raw(p.Value)
		return
	}
	w.Open('{')
	switch p.Kind {
	case hub.PartText, hub.PartRefusal:
		w.Const("type", "text")
		w.Text("text", p.Text)
	case hub.PartReasoning:
		w.Const("type", "reasoning")
		w.TextIf("id", p.ID)
		w.Text("text", p.Text)
	case hub.PartFile:
		w.Const("type", "file")
		w.Text("mediaType", rawjson.Or(p.File.Media, "application/octet-stream"))
		w.TextIf("filename", p.File.Name)
		conversation.WriteURL(w.Writer, "url", p.File)
	case hub.PartSource:
		w.source(p)
	case hub.PartData:
		w.Text("type", append([]byte("data-"), rawjson.Or(p.Name, "data")...))
		w.TextIf("id", p.ID)
		w.Value("data", rawjson.OrNull(p.Value))
	case hub.PartCall:
		w.call(p)
	}
	w.extras(p)
	w.Close('}')
}

// source writes where something is from. One without an address is a document, which has a title.
func (w *messageWriter) source(p *hub.Part) {
	kind := "source-url"
	if len(p.File.URL) == 0 {
		kind = "source-document"
	}
	w.sources++
	w.Const("type", kind)
	w.Text("sourceId", rawjson.Or(p.ID, "source-"+strconv.Itoa(w.sources)))
	if len(p.File.URL) > 0 {
		w.Text("url", p.File.URL)
		w.TextIf("title", p.Title)
		return
	}
	w.Text("mediaType", rawjson.Or(p.File.Media, "application/octet-stream"))
	w.Text("title", rawjson.Or(rawjson.First(p.Title, p.File.Name, p.File.FileID), "Source"))
	w.TextIf("filename", p.File.Name)
}

// extras writes the members that this dialect has noted of a part, or a signature of another in the form that our streams have.
func (w *messageWriter) extras(p *hub.Part) {
	noted, name := p.Meta.Of(Dialect.Name), "providerMetadata"
	if p.Kind == hub.PartCall {
		name = "callProviderMetadata"
	}
	signed := signatures.Metadata(p.Sig)
	for key, value := range rawjson.EachField(noted) {
		if isMetadata(signed) && string(key) == name {
			continue
		}
		if p.Kind != hub.PartCall || fits(string(key), p) {
			w.Value(string(key), value)
		}
	}
	if isMetadata(signed) {
		w.Value(name, signed)
		return
	}
	if rawjson.Get(noted, name) == nil && p.Kind != hub.PartData {
		w.ownMetadata(name, p)
	}
}

// ownMetadata writes the signature of a part, and what is said of a file or a source, where our streams have them.
func (w *messageWriter) ownMetadata(name string, p *hub.Part) {
	own := member.AppendText(nil, `,"signature":"`, p.Sig)
	switch p.Kind {
	case hub.PartFile:
		own = appendFileWords(own, nil, p.Title, p.Text)
	case hub.PartSource:
		own = appendSourceWords(own, p.Text, p.File.FileID, p.Value)
	}
	if len(own) == 0 {
		return
	}
	own[0] = '{'
	w.OpenAt(name, '{')
	w.Value(ownKey, append(own, '}'))
	w.Close('}')
}

// fits reports whether a call may have a member in the state that it is in.
func fits(member string, p *hub.Part) bool {
	switch member {
	case "preliminary":
		return p.Result != nil && p.Result.Status == hub.StatusOK
	case "resultProviderMetadata":
		return p.Result != nil && p.Result.Status != hub.StatusDenied
	}
	return true
}
