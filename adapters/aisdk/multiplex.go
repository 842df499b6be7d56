package aisdk

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// multiplex is what WebSocketChatTransport speaks: its messages "send", "resume" and "abort" name a request, and so does each chunk of
// an answer. The transport closes the connection over a message of a type that it does not know, and over a chunk whose number does not
// follow that of the one before.
var multiplex = hub.Multiplex{
	Read: readMultiplexed, Named: namedRequest, AppendRecord: appendChunk, AppendSign: appendSign, AppendFailure: appendError,
}

// longestRequestID bounds what is said again in each message of an answer. The transport makes names of 16 letters.
const longestRequestID = 256

// operations are what messages of a type want.
var operations = map[string]hub.Operation{"send": hub.OpRun, "resume": hub.OpJoin, "abort": hub.OpStop}

// multiplexed are the members of a message.
type multiplexed struct {
	Type         rawjson.Value `json:"type"`
	RequestID    rawjson.Value `json:"requestId"`
	ID           rawjson.Value `json:"id"`
	Trigger      rawjson.Value `json:"trigger"`
	MessageID    rawjson.Value `json:"messageId"`
	Messages     rawjson.Value `json:"messages"`
	LastSequence rawjson.Value `json:"lastSequence"`
	Headers      rawjson.Value `json:"headers"`
	Body         rawjson.Value `json:"body"`
	Metadata     rawjson.Value `json:"metadata"`
}

func readMultiplexed(message []byte) (m hub.Multiplexed, err error) {
	var json rawjson.Decoder
	var in multiplexed
	if err := json.Decode(message, &in); err != nil {
		return m, hub.JSONError(err)
	}
	if id := rawjson.Body(in.RequestID); len(id) > 0 && len(id) <= longestRequestID {
		m.Request = id
	} else {
		return m, hub.NewError(hub.ReasonMissing, "requestId", -1, "a message names its request")
	}
	op, known := operations[string(rawjson.Body(in.Type))]
	if m.Operation = op; !known {
		return m, hub.NewError(hub.ReasonUnknown, "type", -1, "it is none of send, resume and abort")
	}
	if op == hub.OpStop {
		return m, nil
	}
	if m.Thread = rawjson.Body(in.ID); m.Thread == nil {
		return m, hub.NewError(hub.ReasonType, "id", -1, "a chat has a name")
	}
	if m.Header, err = headerOf(in.Headers); err != nil {
		return m, err
	}
	if kind := rawjson.Kind(in.Body); in.Body != nil && kind != '{' {
		return m, hub.NewError(hub.ReasonType, "body", -1, "it is no object")
	}
	if op == hub.OpJoin {
		m.After, err = recordsBefore(in.LastSequence)
		return m, err
	}
	m.Body = in.posted()
	return m, nil
}

// headerOf reads the header fields that the application sends with a request.
func headerOf(v rawjson.Value) (fields []hub.HeaderField, err error) {
	if v != nil && rawjson.Kind(v) != '{' {
		return nil, hub.NewError(hub.ReasonType, "headers", -1, "it is no object")
	}
	for key, value := range rawjson.EachField(v) {
		text, ok := rawjson.Str(value)
		if !ok {
			return nil, hub.NewError(hub.ReasonType, "headers", -1, "a field is a string")
		}
		fields = append(fields, hub.HeaderField{Name: plain(key), Value: plain(text)})
	}
	return fields, nil
}

// plain is the text of a string body.
func plain(body []byte) string { return string(rawjson.AppendUnescaped(nil, body)) }

// recordsBefore is how many records a client has whose last one has that number.
func recordsBefore(last rawjson.Value) (int64, error) {
	if last == nil {
		return 0, nil
	}
	n, ok := rawjson.Int(last)
	if !ok || n < 0 || n >= wire.Unforeseen {
		return 0, hub.NewError(hub.ReasonType, "lastSequence", -1, "it is no number of a chunk")
	}
	return n + 1, nil
}

// posted is the body that DefaultChatTransport posts for the same request. The metadata of the request, which that keeps for the
// application's own functions, stands beside.
func (in *multiplexed) posted() []byte {
	own := []string{"id", "messages", "trigger", "messageId"}
	w := jsonwriter.New(make([]byte, 0, len(in.Messages)+len(in.Body)+len(in.Metadata)+len(in.ID)+len(in.MessageID)+128))
	w.Open('{')
	if metadata := rawjson.NotNull(in.Metadata); metadata != nil {
		own = append(own, "metadata")
		w.Value("metadata", metadata)
	}
	for key, v := range rawjson.EachField(in.Body) {
		if !slices.ContainsFunc(own, func(name string) bool { return rawjson.EqualBody(key, []byte(name)) }) {
			w.Value(string(key), v)
		}
	}
	w.Value("id", in.ID)
	w.ValueIf("messages", in.Messages)
	w.ValueIf("trigger", in.Trigger)
	w.ValueIf("messageId", in.MessageID)
	w.Close('}')
	return w.Buf
}

// namedRequest implements [hub.Multiplex]: the transport writes the name of the request before all that may be long.
func namedRequest(head []byte) []byte {
	_, rest, _ := bytes.Cut(head, []byte(`"requestId":`))
	if id := rawjson.Leading(rest); len(id) <= longestRequestID {
		return id
	}
	return nil
}

// appendChunk implements [hub.Multiplex]. The end mark of event streams is no chunk.
func appendChunk(dst, request []byte, n int64, record []byte) []byte {
	if wire.IsDone(record) {
		return dst
	}
	dst = appendAbout(dst, "chunk", request)
	dst = strconv.AppendInt(append(dst, `,"sequence":`...), n, 10)
	return append(append(append(dst, `,"chunk":`...), record...), '}')
}

// signs are the types of messages without a chunk.
var signs = map[hub.MultiplexSign]string{hub.MultiplexJoined: "start", hub.MultiplexNone: "no-active", hub.MultiplexEnded: "end"}

func appendSign(dst, request []byte, sign hub.MultiplexSign) []byte {
	return append(appendAbout(dst, signs[sign], request), '}')
}

// appendError implements [hub.Multiplex]. The text is what applications show.
func appendError(dst, request []byte, f *hub.Failure) []byte {
	dst = append(appendAbout(dst, "error", request), `,"errorText":`...)
	return append(rawjson.AppendQuoted(dst, []byte(f.Text())), '}')
}

// appendAbout begins a message about a request.
func appendAbout(dst []byte, typ string, request []byte) []byte {
	dst = append(append(append(dst, `{"type":"`...), typ...), `","requestId":`...)
	return rawjson.AppendQuoted(dst, request)
}
