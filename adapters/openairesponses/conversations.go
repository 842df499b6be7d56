package openairesponses

import (
	"errors"
	"slices"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

var errItems = errors.New("items is not a list")

// newConversation reads the body of POST /conversations, which may be empty, or of POST /conversations/{id}/items.
func newConversation(body []byte) (hub.NewThread, error) {
	asked := hub.NewThread{Prefix: "conv_"}
	if len(body) == 0 {
		return asked, nil
	}
	var json rawjson.Decoder
	var in struct {
		Items    rawjson.Value `json:"items"`
		Metadata rawjson.Value `json:"metadata"`
	}
	if err := json.Decode(body, &in); err != nil {
		return asked, hub.JSONError(err)
	}
	if rawjson.Kind(in.Metadata) == '{' {
		asked.Meta = in.Metadata
	}
	if kind := rawjson.Kind(in.Items); kind != '[' && kind != 0 && !rawjson.IsNull(in.Items) {
		return asked, errItems
	}
	var err error
	asked.Messages, err = messages{}.DecodeMessages(nil, in.Items)
	return asked, err
}

// appendConversation appends the object that stands for one.
func appendConversation(dst []byte, t *hub.Thread) []byte {
	w := jsonwriter.New(dst)
	w.Open('{')
	w.Text("id", rawjson.AppendEscaped(nil, []byte(t.ID)))
	w.Const("object", "conversation")
	w.Int("created_at", t.Begun/1000)
	w.Value("metadata", rawjson.Or(t.Meta, "{}"))
	w.Close('}')
	return w.Buf
}

func appendDeleted(dst []byte, id, object string) []byte {
	w := jsonwriter.New(dst)
	w.Open('{')
	w.Text("id", rawjson.AppendEscaped(nil, []byte(id)))
	w.Const("object", object)
	w.Bool("deleted", true)
	w.Close('}')
	return w.Buf
}

// Entries of a page where the client does not say how many it wants, and at most.
const (
	usualPage   = 20
	longestPage = 100
)

// appendItems appends a page of the items of a conversation, the newest first unless the client wants them otherwise, or those that
// were just added to it.
func appendItems(dst []byte, a *hub.Agent, added bool) []byte {
	t, more := &a.Thread, false
	items := listed(t.ID, t.Messages)
	if added {
		items = items[min(len(items), len(listed(t.ID, t.Messages[:len(t.Messages)-t.Added]))):]
	} else {
		items, more = pageOf(items, a.Query)
	}
	w := jsonwriter.New(dst)
	w.Open('{')
	w.Const("object", "list")
	w.OpenAt("data", '[')
	for _, item := range items {
		w.Raw(item)
	}
	w.Close(']')
	first, last := []byte("null"), []byte("null")
	if n := len(items); n > 0 {
		first, last = rawjson.Get(items[0], "id"), rawjson.Get(items[n-1], "id")
	}
	w.Value("first_id", first)
	w.Value("last_id", last)
	w.Bool("has_more", more)
	w.Close('}')
	return w.Buf
}

// pageOf cuts the part out of a list that a client asks for.
func pageOf(items []rawjson.Value, query func(name string) string) (part []rawjson.Value, more bool) {
	if query("order") != "asc" {
		slices.Reverse(items)
	}
	after := rawjson.AppendEscaped(nil, []byte(query("after")))
	if i := slices.IndexFunc(items, func(v rawjson.Value) bool { return string(rawjson.Text(v, "id")) == string(after) }); i >= 0 {
		items = items[i+1:]
	}
	limit, err := strconv.Atoi(query("limit"))
	if err != nil || limit <= 0 {
		limit = usualPage
	}
	n := min(limit, longestPage, len(items))
	return items[:n], n < len(items)
}

// listed are the items of a conversation as the API lists them: each has an id, and messages have parts.
func listed(conversation string, ms []hub.Message) (items []rawjson.Value) {
	tag := appendTag(nil, []byte(conversation), nil)
	for item := range rawjson.Each(messages{}.AppendMessages(nil, ms, new(hub.Losses))) {
		items = append(items, appendListed(nil, item, append(strconv.AppendInt(nil, int64(len(items)), 10), append([]byte("_"), tag...)...)))
	}
	return items
}

// itemPrefixes begin the ids of items that have none of their own.
var itemPrefixes = map[string]string{
	"message": prefixMessage, "function_call": prefixCall, "function_call_output": "fco_", "reasoning": prefixReasoning,
	"mcp_call": "mcp_", "mcp_approval_request": prefixApproval,
}

// appendListed appends an item with what it lacks. n is unlike that of the others of its conversation.
func appendListed(dst []byte, item rawjson.Value, n []byte) []byte {
	o := rawjson.ReadObject(item)
	w := jsonwriter.New(dst)
	w.Open('{')
	if len(o.Text("id")) == 0 {
		w.TextOf("id", rawjson.First([]byte(itemPrefixes[string(o.Text("type"))]), []byte("item_")), n)
	}
	for key, v := range o.All() {
		if text, ok := rawjson.Str(v); ok && string(key) == "content" {
			writeContent(w, string(o.Text("role")), text)
			continue
		}
		w.Value(string(key), v)
	}
	if o.Get("status") == nil && len(o.Text("role")) > 0 {
		w.Const("status", "completed")
	}
	w.Close('}')
	return w.Buf
}

// writeContent writes a text as the parts of a message.
func writeContent(w *jsonwriter.Writer, role string, text []byte) {
	w.OpenAt("content", '[')
	w.Open('{')
	if role == "assistant" {
		w.Const("type", "output_text")
		w.Value("annotations", []byte("[]"))
	} else {
		w.Const("type", "input_text")
	}
	w.Text("text", text)
	w.Close('}')
	w.Close(']')
}
