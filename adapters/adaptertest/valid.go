package adaptertest

import (
	"fmt"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// valid checks I12: what is spliced into JSON is JSON.
func (c *Checker) valid(ev *hub.Event) error {
	if ev.Kind == hub.KindNone || int(ev.Kind) > len(hub.Kinds()) {
		return fmt.Errorf("I12: no such kind")
	}
	v := validator{json: &c.json}
	v.bodies("id", ev.ID, "ref", ev.Ref, "lane", ev.SubAgent, "msg", ev.Msg, "name", ev.Name, "title", ev.Title, "text", ev.Text)
	v.value("value", ev.Value)
	if m := ev.More; m != nil {
		v.more(m)
	}
	return v.err
}

// Valid checks that the slices of a decoded or normalized event are JSON: bodies of strings and values.
func Valid(ev *hub.Event) error {
	var c Checker
	return c.valid(ev)
}

// readable checks that an event is valid, and that each member is of the kind that the model has for it.
func readable(ev *hub.Event) error {
	if err := Valid(ev); err != nil {
		return err
	}
	_, err := native.Dialect.NewDecoder(hub.Options{}).Decode(nil, wire.Record{Data: native.Append(nil, ev)})
	return err
}

type validator struct {
	json *rawjson.Decoder
	err  error
}

func (v *validator) bodies(pairs ...any) {
	for i := 0; i < len(pairs); i += 2 {
		v.body(pairs[i].(string), pairs[i+1].([]byte))
	}
}

func (v *validator) body(name string, body []byte) {
	if body == nil || v.err != nil {
		return
	}
	quoted := rawjson.AppendQuoted(nil, body)
	if err := v.json.Valid(quoted); err != nil {
		v.err = fmt.Errorf("I12: %s is not the body of a JSON string: %q", name, body)
	}
}

func (v *validator) value(name string, value []byte) {
	if value == nil || v.err != nil {
		return
	}
	if err := v.json.Valid(value); err != nil {
		v.err = fmt.Errorf("I12: %s is not JSON: %q", name, value)
	}
}

func (v *validator) more(m *hub.More) {
	v.value("meta", m.Meta)
	v.value("locations", m.Locations)
	v.value("content", m.Content)
	v.value("percent", m.Percent)
	v.value("schema", m.Schema)
	v.value("cost", m.Usage.Cost)
	v.bodies("model", m.Model, "sig", m.Sig, "tool_kind", m.ToolKind, "expires", m.Expires, "currency", m.Usage.Currency,
		"provider", m.Usage.Provider, "media", m.File.Media, "file name", m.File.Name, "url", m.File.URL,
		"file_id", m.File.FileID, "base64", m.File.Base64, "err", m.Err, "err_code", m.ErrCode)
	for i := range m.Items {
		it := &m.Items[i]
		v.bodies("item id", it.ID, "item content", it.Content, "item status", it.Status, "item priority", it.Priority)
	}
	for i := range m.Options {
		o := &m.Options[i]
		v.bodies("option id", o.ID, "option name", o.Name, "option kind", o.Kind)
	}
}
