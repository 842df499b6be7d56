package adaptertest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// requestMeaning is what a request says in any dialect: who said what, which calls were made and what came of them, which tools
// there are, and the settings. What stands in several messages of one side in a row is one entry.
type requestMeaning struct {
	turns    []turn
	tools    []string
	settings map[string]string
}

type turn struct {
	role  hub.Role
	texts []string
	files []string
	calls []string
}

func meaningOf(req *hub.Request) *requestMeaning {
	m := &requestMeaning{settings: map[string]string{}}
	for i := range req.Messages {
		m.add(&req.Messages[i])
	}
	for _, t := range req.Tools.Defs {
		if t.Meta.Dialect == "" {
			m.tools = append(m.tools, string(t.Name))
		}
	}
	for _, s := range settings.All(&req.Settings) {
		if len(*s.At) > 0 {
			m.settings[s.Name] = string(*s.At)
		}
	}
	return m
}

func (m *requestMeaning) add(msg *hub.Message) {
	n := len(m.turns)
	if n == 0 || m.turns[n-1].role != msg.Role {
		m.turns = append(m.turns, turn{role: msg.Role})
		n++
	}
	now := &m.turns[n-1]
	for i := range msg.Parts {
		p := &msg.Parts[i]
		switch p.Kind {
		case hub.PartText, hub.PartRefusal:
			now.texts = append(now.texts, strings.Fields(plain(p.Text))...)
		case hub.PartFile:
			now.files = append(now.files, fmt.Sprintf("%d bytes, URL %s", len(p.File.Base64), plain(p.File.URL)))
		case hub.PartCall:
			now.calls = append(now.calls, showCall(p))
		}
	}
}

// showCall is a call with its arguments and the text of its result. Ids differ by dialect; that a result is with its call is
// what they are for.
func showCall(p *hub.Part) string {
	s := plain(p.Name) + " " + plain(p.Text)
	if p.Value != nil {
		s = plain(p.Name) + " " + string(rawjson.AppendCompact(nil, p.Value))
	}
	if p.Result != nil {
		ev := p.Result.Event()
		s += " = " + plain(toolresult.AppendText(nil, &ev))
	}
	return s
}

// diff says what got lacks of want, apart from the losses; "" for nothing.
func (m *requestMeaning) diff(got *requestMeaning, l *hub.Losses) string {
	if a, b := m.show(l), got.show(l); a != b {
		return "another conversation\n" + diff(a, b)
	}
	if a, b := strings.Join(m.tools, ","), strings.Join(got.tools, ","); a != b && !slices.Contains(l.Names, "tools") {
		return "tools " + a + " became " + b
	}
	for name, value := range m.settings {
		if got.settings[name] != value && !slices.Contains(l.Names, "settings."+name) {
			return fmt.Sprintf("setting %s %s became %q", name, value, got.settings[name])
		}
	}
	return ""
}

// show lists the turns. System text stands first: some dialects have no other place for it, which they say.
func (m *requestMeaning) show(l *hub.Losses) string {
	var system, rest strings.Builder
	for i := range m.turns {
		t := &m.turns[i]
		to := &rest
		if t.role == hub.RoleSystem {
			to = &system
			if slices.Contains(l.Names, "messages.system") {
				continue
			}
		}
		t.show(to, l)
	}
	return system.String() + rest.String()
}

func (t *turn) show(b *strings.Builder, l *hub.Losses) {
	fmt.Fprintf(b, "%s: %s\n", t.role, strings.Join(t.texts, " "))
	for _, call := range t.calls {
		fmt.Fprintf(b, "  call %s\n", call)
	}
	if !slices.Contains(l.Names, "messages.file") {
		for _, file := range t.files {
			fmt.Fprintf(b, "  file %s\n", file)
		}
	}
}
