package adaptertest

import (
	"fmt"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
)

// ShowRequest lists what was read of a request, for people.
func ShowRequest(req *hub.Request) string {
	var b requestView
	b.text("thread", req.Thread)
	b.text("run", req.Run)
	b.text("model", req.Model)
	b.flag("whole", req.Whole)
	b.flag("usage", req.Usage)
	b.flag("partial", req.Partial)
	b.flag("prepare", req.Prepare)
	b.flag("regenerate", req.Trigger == hub.TriggerRegenerate)
	b.flag("edit", req.Trigger == hub.TriggerEdit)
	for i := range req.Messages {
		b.message(&req.Messages[i])
	}
	for _, d := range req.Answers {
		b.decision(&d)
	}
	for _, t := range req.Tools.Defs {
		b.line("tool %s %q schema %s strict %s%s", t.Name, t.Description, rawjson.AppendCompact(nil, t.Schema), t.Strict, showMeta(&t.Meta))
	}
	if c := req.Choice; c.Mode != hub.ChoiceUnset {
		b.line("choice %s %q", c.Mode, c.Names)
	}
	for _, s := range settings.All(&req.Settings) {
		b.text("setting "+s.Name, *s.At)
	}
	if f := req.Settings.Format; f.Kind != hub.FormatText {
		b.line("format %s %s %s strict %s", f.Kind, f.Name, rawjson.AppendCompact(nil, f.Schema), f.Strict)
	}
	b.text("state", req.State)
	for _, c := range req.Context {
		b.line("context %q: %q", c.Description, c.Value)
	}
	b.text("extra of "+req.Extra.Dialect, req.Extra.Raw)
	return b.String()
}

type requestView struct{ strings.Builder }

func (b *requestView) line(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }

func (b *requestView) text(name string, v []byte) {
	if len(v) > 0 {
		b.line("%s %s", name, v)
	}
}

func (b *requestView) flag(name string, v bool) {
	if v {
		b.line("%s", name)
	}
}

func (b *requestView) message(m *hub.Message) {
	b.line("%s", strings.TrimSpace(fmt.Sprintf("%s %s %s%s", m.Role, m.ID, m.Name, showMeta(&m.Meta)))+joins(m))
	for i := range m.Parts {
		b.part(&m.Parts[i])
	}
}

func joins(m *hub.Message) string {
	if m.Joins {
		return " joins"
	}
	return ""
}

func (b *requestView) part(p *hub.Part) {
	fmt.Fprintf(b, "  %s", p.Kind)
	word := func(name string, v []byte) {
		if len(v) > 0 {
			fmt.Fprintf(b, " %s%s", name, v)
		}
	}
	word("", p.ID)
	word("", p.Name)
	word("", p.Value)
	if p.Value == nil && len(p.Text) > 0 {
		fmt.Fprintf(b, " %q", p.Text)
	}
	word("title ", p.Title)
	word("signed ", p.Sig)
	if p.File != nil {
		word("", p.File.Media)
		word("name ", p.File.Name)
		word("url ", p.File.URL)
		word("file id ", p.File.FileID)
		fmt.Fprintf(b, " base64 %d", len(p.File.Base64))
	}
	if p.ClientRuns {
		b.WriteString(" client")
	}
	if p.Dynamic {
		b.WriteString(" dynamic")
	}
	if a := p.Approval; a != nil {
		fmt.Fprintf(b, " approval %s signed %s decided %t approved %t reason %q", a.ID, a.Sig, a.Decided, a.Approved, a.Reason)
	}
	b.line("%s", showMeta(&p.Meta))
	if p.Result != nil {
		b.result(p.Result)
	}
}

func (b *requestView) result(r *hub.CallResult) {
	fmt.Fprintf(b, "    result %s", r.Status)
	if len(r.ID) > 0 {
		fmt.Fprintf(b, " id %s", r.ID)
	}
	b.line(" text %q value %s content %s err %q", r.Text, r.Value, r.Content, r.Err)
}

func (b *requestView) decision(d *hub.Decision) {
	b.line("answer %s call %s cancelled %t decided %t approved %t reason %q payload %s", d.Ask, d.Call, d.Cancelled, d.Decided, d.Approved, d.Reason, d.Payload)
}

func showMeta(m *hub.Meta) string {
	if m.Dialect == "" {
		return ""
	}
	return " meta " + m.Dialect
}
