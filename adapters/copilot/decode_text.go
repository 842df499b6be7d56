package copilot

import (
	"bytes"
	"maps"
	"slices"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// stream is a text that comes in deltas.
type stream struct{ id, subAgent []byte }

// enterStream puts the event at hand into the sub-agent of the first delta of its text. Some servers name the sub-agent only
// on the full text; in two sub-agents, it would be said twice.
func (d *decoder) enterStream(id []byte) {
	if len(id) == 0 {
		return
	}
	if !bytes.Equal(d.last.id, id) {
		subAgent, known := d.streams[string(id)]
		if !known {
			subAgent = bytes.Clone(d.at.subAgent)
			if len(d.streams) < maxKnown {
				d.streams[string(id)] = subAgent
			}
			d.user.hash = 0
		}
		d.last.id, d.last.subAgent = append(d.last.id[:0], id...), subAgent
	}
	d.at.subAgent = d.last.subAgent
}

// leaveStream is enterStream for the full text, the last that is said of it.
func (d *decoder) leaveStream(id []byte) {
	if subAgent, known := d.streams[string(id)]; known {
		d.at.subAgent = subAgent
		delete(d.streams, string(id))
		d.last.id = d.last.id[:0]
	}
}

// messageDelta reads a piece of an answer. The id of the message is that of the part as well: Copilot writes one part a
// message.
func (d *decoder) messageDelta(dst []hub.Event) ([]hub.Event, error) {
	delta, err := d.need(d.at.ev.Data.Delta, "deltaContent")
	if err != nil {
		return dst, err
	}
	id := rawjson.Body(d.at.ev.Data.MessageID)
	d.enterStream(id)
	return d.put(dst, hub.Event{Kind: hub.TextDelta, ID: id, Msg: id, Text: delta}), nil
}

// reasoningDelta reads a piece of a train of thought, which belongs to no message.
func (d *decoder) reasoningDelta(dst []hub.Event) ([]hub.Event, error) {
	delta, err := d.need(d.at.ev.Data.Delta, "deltaContent")
	if err != nil {
		return dst, err
	}
	id := rawjson.Body(d.at.ev.Data.ReasoningID)
	d.enterStream(id)
	return d.put(dst, hub.Event{Kind: hub.TextDelta, ID: id, Chan: hub.Reasoning, Text: delta}), nil
}

// turnRetry reads that the model is asked again: what has come of its answer is taken back.
func (d *decoder) turnRetry(dst []hub.Event) ([]hub.Event, error) {
	at := d.at.subAgent
	for _, id := range slices.Sorted(maps.Keys(d.streams)) {
		if !bytes.Equal(d.streams[id], at) {
			continue
		}
		delete(d.streams, id)
		dst = d.put(dst, hub.Event{Kind: hub.TextDelta, ID: []byte(id), Msg: []byte(id), Op: hub.Replace})
		dst = d.put(dst, hub.Event{Kind: hub.TextEnd, ID: []byte(id), Msg: []byte(id)})
	}
	d.last.id = d.last.id[:0]
	return dst, nil
}

// nothing reads events that say what is known anyway, such as the size of what was streamed.
func (d *decoder) nothing(dst []hub.Event) ([]hub.Event, error) { return dst, nil }

// messageStart announces a message of version 1, and what it is going to be: commentary, or the answer.
func (d *decoder) messageStart(dst []hub.Event) ([]hub.Event, error) {
	id, err := d.need(d.at.ev.Data.MessageID, "messageId")
	if err != nil {
		return dst, err
	}
	d.enterStream(id)
	return d.put(dst, hub.Event{Kind: hub.TextStart, ID: id, Msg: id, Name: rawjson.Body(d.prop("phase"))}), nil
}

// message reads the full text of a message, which replaces its deltas, and the calls that it asks for.
func (d *decoder) message(dst []hub.Event) ([]hub.Event, error) {
	p := &d.at.ev.Data
	content, ok := rawjson.Str(p.Content)
	if !ok && !rawjson.IsNull(p.Content) {
		return dst, d.missing("data.content", p.Content, "want a string")
	}
	id := rawjson.Body(p.MessageID)
	d.leaveStream(id)
	if len(content) > 0 {
		dst = d.fullText(dst, id, content, hub.AnswerText, "messageId", "content", "toolRequests", "parentToolCallId")
		dst[len(dst)-1].Msg, dst[len(dst)-2].Msg = id, id
		dst = d.citations(dst, id)
	}
	return d.toolRequests(dst, id), nil
}

// fullText appends a text that is complete. The end carries what else the event says.
func (d *decoder) fullText(dst []hub.Event, id, content []byte, ch hub.Chan, known ...string) []hub.Event {
	dst = d.put(dst, hub.Event{Kind: hub.TextDelta, ID: id, Chan: ch, Text: content, Op: hub.Replace})
	dst, ev := d.add(dst, hub.Event{Kind: hub.TextEnd, ID: id, Chan: ch})
	d.keep(ev, known...)
	return dst
}

// citations appends the sources of a message. Where in the text they belong is kept in its metadata.
func (d *decoder) citations(dst []hub.Event, msg []byte) []hub.Event {
	for src := range rawjson.Each(rawjson.Get(d.prop("citations"), "sources")) {
		var ev *hub.Event
		dst, ev = d.add(dst, hub.Event{Kind: hub.Source})
		ev.ID, ev.Ref, ev.Msg, ev.Title = rawjson.Text(src, "id"), msg, msg, rawjson.Text(src, "title")
		file := &d.scratch.MoreOf(ev).File
		file.URL, file.Name = rawjson.Text(src, "url"), rawjson.Text(src, "path")
	}
	return dst
}

// reasoning reads the full text of a train of thought. It may come long after its deltas, or alone.
func (d *decoder) reasoning(dst []hub.Event) ([]hub.Event, error) {
	p := &d.at.ev.Data
	content, err := d.need(p.Content, "content")
	if err != nil {
		return dst, err
	}
	id := rawjson.Body(p.ReasoningID)
	d.leaveStream(id)
	sig := rawjson.Body(d.prop(propSignature))
	if len(content) == 0 && len(sig) == 0 {
		return dst, nil
	}
	dst = d.fullText(dst, id, content, hub.Reasoning, "reasoningId", "content", "parentToolCallId", propSignature)
	if len(sig) > 0 {
		d.scratch.MoreOf(&dst[len(dst)-1]).Sig = sig
	}
	return dst, nil
}

// propSignature is where Copilot puts the encrypted form of a train of thought; on messages, which is left as it is.
const propSignature = "reasoningOpaque"

// userMessage reads the user's own message.
func (d *decoder) userMessage(dst []hub.Event) ([]hub.Event, error) {
	content, err := d.need(d.at.ev.Data.Content, "content")
	if err != nil {
		return dst, err
	}
	if d.user.echoed(content, len(rawjson.Body(d.at.ev.ID)) > 0) {
		return dst, nil
	}
	if d.opt.history {
		d.outcome = hub.StatusNone
	}
	blobs := areBlobs(d.prop(propAttachments))
	if len(content) == 0 && !blobs {
		return d.plain(dst) // there may be attachments of another kind
	}
	from := len(dst)
	if len(content) > 0 {
		dst = d.userText(dst, content, blobs)
	}
	if blobs {
		dst = d.userFiles(dst)
	}
	for i := from; i < len(dst); i++ {
		dst[i].Flags |= hub.User
	}
	return dst, nil
}

// userText appends the text of the user's message. Attachments that are files of their own are not kept with it.
func (d *decoder) userText(dst []hub.Event, content []byte, blobs bool) []hub.Event {
	id := d.userID()
	dst, ev := d.add(dst, hub.Event{Kind: hub.TextStart, ID: id})
	if blobs {
		d.keep(ev, "content", propAttachments)
	} else {
		d.keep(ev, "content")
	}
	dst = d.put(dst, hub.Event{Kind: hub.TextDelta, ID: id, Text: content, Op: hub.Replace})
	return d.put(dst, hub.Event{Kind: hub.TextEnd, ID: id})
}

const propAttachments = "attachments"

// areBlobs reports whether there are attachments, and all of them hold their bytes.
func areBlobs(attachments rawjson.Value) bool {
	found := false
	for _, a := range rawjson.EachObject(attachments) {
		if _, found = readBlob(a); !found {
			return false
		}
	}
	return found
}

// userFiles appends the attachments of the user's message.
func (d *decoder) userFiles(dst []hub.Event) []hub.Event {
	for _, a := range rawjson.EachObject(d.prop(propAttachments)) {
		var ev *hub.Event
		dst, ev = d.add(dst, hub.Event{Kind: hub.File})
		d.scratch.MoreOf(ev).File, _ = readBlob(a)
	}
	return dst
}

// userID is the id of the user's message, made if it has none.
func (d *decoder) userID() []byte {
	if id := rawjson.First(rawjson.Body(d.at.ev.Data.MessageID), rawjson.Body(d.at.ev.ID)); id != nil {
		return id
	}
	d.user.made++
	return d.scratch.Since(strconv.AppendInt(append(d.scratch.Begin(), "user-"...), int64(d.user.made), 10))
}

// lastUser is the user's message that came last. Caco shows it at once, and the SDK repeats it, with an id.
type lastUser struct {
	hash  uint64
	hasID bool
	made  int // ids made
}

// echoed reports whether the message is the same as the last, once with an id and once without.
func (u *lastUser) echoed(content []byte, hasID bool) bool {
	h := hash(content)
	if u.hash == h && u.hasID != hasID {
		u.hash = 0
		return true
	}
	u.hash, u.hasID = h, hasID
	return false
}

// interrupted forgets the message once the agent is at work.
func (u *lastUser) interrupted(typ []byte) {
	if bytes.HasPrefix(typ, []byte("assistant.")) || bytes.HasPrefix(typ, []byte("tool.")) {
		u.hash = 0
	}
}
