package openaichat

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
)

// Where servers of models of other providers put what those want back unchanged. Clients get it as a signature that stands for the whole
// object, see [signatures.AppendSealed]: its format, or the id that it has at the provider, must come back, too.
const (
	memberDetails = "reasoning_details" // of a message: OpenRouter
	memberBlocks  = "thinking_blocks"   // of a message: LiteLLM
	memberExtra   = "extra_content"     // of a call: Google
)

// Where servers put reasoning in plain words, and want it back if they do.
const (
	memberContent   = "reasoning_content"
	memberReasoning = "reasoning"
)

// What clients get for these members.
var sealContent, sealReasoning = signatures.SealMember(memberContent), signatures.SealMember(memberReasoning)

// plainMember is the member that a signature stands for, "" if it stands for none of those for plain reasoning.
func plainMember(sig []byte) string {
	switch {
	case bytes.Equal(sig, sealContent):
		return memberContent
	case bytes.Equal(sig, sealReasoning):
		return memberReasoning
	}
	return ""
}

// isProof reports whether an element of reasoning_details or thinking_blocks holds more than words.
func isProof(detail rawjson.Value) bool {
	return len(rawjson.Text(detail, "signature"))+len(rawjson.Text(detail, "data")) > 0
}

// sealDetail returns a signature that stands for an element of a member. Its text is that of the part.
func sealDetail(member string, detail rawjson.Value) []byte {
	w := jsonwriter.New(nil)
	w.Open('{')
	w.OpenAt(member, '{')
	for name, v := range rawjson.EachField(detail) {
		switch string(name) {
		case "text", "summary", "thinking", "index":
		default:
			w.ValueIf(string(name), rawjson.NotNull(v))
		}
	}
	w.Close('}')
	w.Close('}')
	return signatures.AppendSealed(nil, w.Buf)
}

// signatureOf is the signature of a call that has an object beside its function: one that stands for the whole object, or what a client was
// shown of another's.
func signatureOf(extra rawjson.Value) []byte {
	if rawjson.Kind(extra) != '{' || rawjson.IsEmptyObject(extra) {
		return nil
	}
	if shown := rawjson.Text(extra, "google", "thought_signature"); signatures.IsSealed(shown) {
		_, sig := signatures.Call(shown)
		return rawjson.First(sig, shown)
	}
	w := jsonwriter.New(nil)
	w.Open('{')
	w.Value(memberExtra, extra)
	w.Close('}')
	return signatures.AppendSealed(nil, w.Buf)
}

// extraOf is the object that a server gets back for the signature of a call, nil if it did not send it: others refuse the member.
func extraOf(sig []byte) rawjson.Value {
	return rawjson.OfKind(rawjson.Get(signatures.Opened(sig), memberExtra), '{')
}

// shownExtra is the object that a client gets for the signature of a call; nil if there is none. Clients that keep any, keep Google's.
func shownExtra(sig []byte) rawjson.Value {
	if extra := extraOf(sig); extra != nil || len(sig) == 0 {
		return extra
	}
	if !signatures.IsSealed(sig) {
		sig = signatures.SealCall(nil, sig) // so that it is not taken for one of these servers'
	}
	return slices.Concat([]byte(`{"google":{"thought_signature":"`), sig, []byte(`"}}`))
}

// proofs is what goes back to a server with a message of the model.
type proofs struct {
	details, blocks []rawjson.Value
}

func (p *proofs) isEmpty() bool { return len(p.details)+len(p.blocks) == 0 }

// add takes what a part of reasoning stands for, and reports whether it does.
func (p *proofs) add(part *hub.Part) bool {
	opened := signatures.Opened(part.Sig)
	if v := rawjson.Get(opened, memberDetails); rawjson.Kind(v) == '{' {
		p.details = appendDetail(p.details, v, part.Text)
		return true
	}
	if v := rawjson.Get(opened, memberBlocks); rawjson.Kind(v) == '{' {
		p.blocks = append(p.blocks, withText(v, "thinking", part.Text))
		return true
	}
	return false
}

// show takes a part that a client is shown, as the n-th of the answer. A signature that is not of this dialect's servers passes as it is.
func (p *proofs) show(part *hub.Part, n int, hasText bool) {
	from := len(p.details)
	if !p.add(part) {
		p.details = append(p.details, plainDetail(part, hasText))
	}
	for i := range p.details[from:] {
		d := &p.details[from+i]
		*d = withMember(*d, "index", strconv.AppendInt(nil, int64(n), 10))
	}
}

// plainDetail is the detail of a part. One without a text is encrypted as a whole.
func plainDetail(part *hub.Part, hasText bool) rawjson.Value {
	w := jsonwriter.New(nil)
	w.Open('{')
	if hasText {
		w.Const("type", "reasoning.text")
		w.Text("text", part.Text)
		w.TextIf("signature", part.Sig)
	} else {
		w.Const("type", "reasoning.encrypted")
		w.Text("data", part.Sig)
	}
	w.Close('}')
	return w.Buf
}

// appendDetail appends a detail with its words. Encrypted reasoning has none: they stand in a detail before it.
func appendDetail(details []rawjson.Value, v rawjson.Value, text []byte) []rawjson.Value {
	if string(rawjson.Text(v, "type")) != "reasoning.encrypted" {
		return append(details, withText(v, "text", text))
	}
	if format := rawjson.Get(v, "format"); len(text) > 0 {
		kind, member := "reasoning.text", "text"
		if bytes.HasSuffix(rawjson.Body(format), []byte("-responses-v1")) { // OpenAI and others tell a summary only
			kind, member = "reasoning.summary", "summary"
		}
		w := jsonwriter.New(nil)
		w.Open('{')
		w.Const("type", kind)
		w.ValueIf("format", format)
		w.Close('}')
		details = append(details, withText(w.Buf, member, text))
	}
	return append(details, v)
}

// withText returns an object with a text beside its members, unless there is none.
func withText(object rawjson.Value, member string, text []byte) rawjson.Value {
	if len(text) == 0 {
		return object
	}
	return withMember(object, member, rawjson.AppendQuoted(nil, text))
}

func withMember(object rawjson.Value, member string, v rawjson.Value) rawjson.Value {
	w := jsonwriter.New(nil)
	w.Open('{')
	for name, has := range rawjson.EachField(object) {
		w.Value(string(name), has)
	}
	w.Value(member, v)
	w.Close('}')
	return w.Buf
}

// write writes the members of a message.
func (p *proofs) write(w *jsonwriter.Writer) {
	writeList(w, memberDetails, p.details)
	writeList(w, memberBlocks, p.blocks)
}

func writeList(w *jsonwriter.Writer, member string, list []rawjson.Value) {
	if len(list) == 0 {
		return
	}
	w.OpenAt(member, '[')
	for _, v := range list {
		w.Raw(v)
	}
	w.Close(']')
}
