package simplified_test

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/sabir-proxy/sabir/adapters/simplified"
)

type update = simplified.ToolCallUpdate

func extra(pairs ...string) (list []simplified.Attr) {
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, simplified.Attr{Name: pairs[i], Value: pairs[i+1]})
	}
	return list
}

// TestUpdateToolCallMarkup is S0-26, S0-27 and S0-28.
func TestUpdateToolCallMarkup(t *testing.T) {
	f := func(content, id string, u update, want string) {
		t.Helper()
		given := bytes.Clone([]byte(content))
		if got := string(simplified.UpdateToolCallMarkup(given, id, u)); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", content, got, want)
		}
		if string(given) != content {
			t.Errorf("the content was changed in place: %s", given)
		}
	}
	// S0-26: only the tag with the id changes, and only its status.
	f(`a <ToolCall type="x" status="running" toolCallId="1" query="q"></ToolCall> b <ToolCall type="y" status="running" toolCallId="2"></ToolCall> c`,
		"2", update{Status: "success"},
		`a <ToolCall type="x" status="running" toolCallId="1" query="q"></ToolCall> b <ToolCall type="y" toolCallId="2" status="success"></ToolCall> c`)
	f(`<ToolCall status="running" toolCallId="1"></ToolCall><ToolCall status="running" toolCallId="1"></ToolCall>`, "1", update{Status: "error"},
		`<ToolCall toolCallId="1" status="error"></ToolCall><ToolCall status="running" toolCallId="1"></ToolCall>`)
	f(`<ToolCall toolCallId="1"></ToolCall>`, "1", update{Status: "success"}, `<ToolCall toolCallId="1" status="success"></ToolCall>`)
	f(`<ToolCall toolCallId="1" status="running"></ToolCall>`, "1", update{}, `<ToolCall toolCallId="1" status="running"></ToolCall>`)

	// S0-27: error and extra become attributes; success takes an old error away.
	f(`<ToolCall type="x" status="running" toolCallId="1" url="u"></ToolCall>`, "1", update{Status: "error", Error: `<a> & "b" it's`},
		`<ToolCall type="x" toolCallId="1" status="error" url="u" error="&lt;a&gt; &amp; &quot;b&quot; it's"></ToolCall>`)
	f(`<ToolCall type="x" toolCallId="1" status="error" error="old"></ToolCall>`, "1", update{Status: "success"}, `<ToolCall type="x" toolCallId="1" status="success"></ToolCall>`)
	f(`<ToolCall type="x" toolCallId="1" status="error" error="old"></ToolCall>`, "1", update{Status: "error"}, `<ToolCall type="x" toolCallId="1" status="error" error="old"></ToolCall>`)
	f(`<ToolCall type="x" toolCallId="1" status="error" error="old"></ToolCall>`, "1", update{Status: "success", Error: "new"}, `<ToolCall type="x" toolCallId="1" status="success" error="new"></ToolCall>`)
	f(`<ToolCall type="x" status="running" toolCallId="1" z="1" query="q" count="2" url="u"></ToolCall>`, "1",
		update{Status: "success", Extra: extra("b", "2", "videoId", "v", "a", "1\n\r", "z", "3", "none", "", "imageId", "i", "prompt", "p")},
		`<ToolCall type="x" toolCallId="1" status="success" query="q" count="2" url="u" videoId="v" prompt="p" imageId="i" z="3" b="2" a="1&#10;&#13;"></ToolCall>`)
	f(`<ToolCall toolCallId="1"></ToolCall>`, "1", update{Extra: extra("stdout", "1 < 2\n", "a", `$& $1 $$`)}, `<ToolCall toolCallId="1" stdout="MSA8IDIK" a="$&amp; $1 $$"></ToolCall>`)
	f(`<ToolCall toolCallId="1"></ToolCall>`, "1", update{Extra: extra(`x" onload="y`, "1", "", "2", "1a", "3", "toolCallId", "9", "é", "4", "a b", "5")}, `<ToolCall toolCallId="1"></ToolCall>`)

	// S0-28: the tag is found wherever the id stands, in any case and spacing; without it, nothing changes.
	f(`<ToolCall toolCallId="1" type="x" status="running">`, "1", update{Status: "success"}, `<ToolCall type="x" toolCallId="1" status="success">`)
	f("<toolcall\n type = \"x\"\ttoolCallId =\n\"1\"  junk></toolcall>", "1", update{Status: "success"}, `<ToolCall type="x" toolCallId="1" status="success"></toolcall>`)
	f(`<ToolCall toolCallId="a&amp;&quot;b"></ToolCall>`, `a&"b`, update{Status: "success"}, `<ToolCall toolCallId="a&amp;&quot;b" status="success"></ToolCall>`)
	f(`<ToolCall toolCallId="a.c"></ToolCall><ToolCall toolCallId="abc"></ToolCall>`, `abc`, update{Status: "success"}, `<ToolCall toolCallId="a.c"></ToolCall><ToolCall toolCallId="abc" status="success"></ToolCall>`)
	f(`<ToolCall toolCallId="ABC"></ToolCall>`, `abc`, update{Status: "success"}, `<ToolCall toolCallId="ABC"></ToolCall>`)
	f(`<ToolCall toolCallId="1"></ToolCall>`, "2", update{Status: "success"}, `<ToolCall toolCallId="1"></ToolCall>`)
	f(`<ToolCall toolCallId=""></ToolCall>`, "", update{Status: "success"}, `<ToolCall toolCallId=""></ToolCall>`)
	f(`<ToolCallBox toolCallId="1"></ToolCallBox> <ToolCall`, "1", update{Status: "success"}, `<ToolCallBox toolCallId="1"></ToolCallBox> <ToolCall`)
	f(`a <ToolCall tag, and <ToolCall toolCallId="1"></ToolCall>`, "1", update{Status: "success"}, `a <ToolCall tag, and <ToolCall toolCallId="1" status="success"></ToolCall>`)
	f(``, "1", update{Status: "success"}, ``)
}

// TestMarkupLimits is S0-33: an error in markup is cut to 300 UTF-16 units, an extra to 500, or as wanted.
func TestMarkupLimits(t *testing.T) {
	f := func(u update, name string, want int) {
		t.Helper()
		c, _ := simplified.ParseToolCall(simplified.UpdateToolCallMarkup([]byte(`<ToolCall toolCallId="1">`), "1", u))
		if n := len(utf16.Encode([]rune(c.Attrs[0].Value))); c.Attrs[0].Name != name || n != want {
			t.Errorf("got %d units of %s, want %d", n, c.Attrs[0].Name, want)
		}
	}
	long := strings.Repeat("x<é", 400)
	f(update{Error: long}, "error", 300)
	f(update{Error: strings.Repeat("x", 299) + "😀y"}, "error", 299)
	f(update{Error: strings.Repeat("x", 298) + "😀y"}, "error", 300)
	f(update{Error: strings.Repeat("é", 300)}, "error", 300)
	f(update{Extra: extra("a", long)}, "a", 500)
	f(update{Extra: extra("a", long), ExtraLimit: 7}, "a", 7)
	f(update{Extra: extra("a", long), ExtraLimit: -1}, "a", 1200)
}

// element is what a reader's pattern has to find: one element whose tag no value can break.
var element = regexp.MustCompile(`^<ToolCall( [a-zA-Z_:][\w:.-]*="[^"<>\n\r]*")*></ToolCall>$`)

// TestToolCallElement is S0-3 and S0-37: a complete element whose values stand escaped, in the order of the server.
func TestToolCallElement(t *testing.T) {
	f := func(c simplified.ToolCall, want string) {
		t.Helper()
		got := string(simplified.AppendToolCall([]byte("> "), c))
		if got != "> "+want || !element.MatchString(want) {
			t.Errorf("got  %s\nwant > %s", got, want)
		}
	}
	f(simplified.ToolCall{Type: "web_search", Status: "running", ID: "1"}, `<ToolCall type="web_search" status="running" toolCallId="1"></ToolCall>`)
	f(simplified.ToolCall{Type: `a"b`, Status: "success", ID: "<1>", Attrs: extra("query", `& < > " '`+"\r\n", "count", "2", "code", "1 < 2")},
		`<ToolCall type="a&quot;b" status="success" toolCallId="&lt;1&gt;" query="&amp; &lt; &gt; &quot; &#39;&#13;&#10;" count="2" code="MSA8IDI="></ToolCall>`)
	f(simplified.ToolCall{Attrs: extra("type", "x", "status", "y", "toolCallId", "z", "b ad", "1", "", "2")}, `<ToolCall type="" status="" toolCallId=""></ToolCall>`)
	if got, want := string(simplified.AppendEscapedAttr(nil, `a & 'b'`)), `a &amp; &#39;b&#39;`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestParseToolCall(t *testing.T) {
	f := func(content string, want simplified.ToolCall, wantOK bool) {
		t.Helper()
		got, ok := simplified.ParseToolCall([]byte(content))
		if ok != wantOK || got.Type != want.Type || got.Status != want.Status || got.ID != want.ID || !slices.Equal(got.Attrs, want.Attrs) {
			t.Errorf("%s: got %+v, %t", content, got, ok)
		}
	}
	f(`x <ToolCall type="a" a="1" a="2" =  b = c="3 d="4" e="5`, simplified.ToolCall{}, false)
	f(`x <ToolCall type="a" a="1" a="2" =  b = "&amp;lt;" c='3' d="4" e="5>`, simplified.ToolCall{Type: "a", Attrs: extra("a", "2", "b", "&lt;", "d", "4")}, true)
	f(`<ToolCall>`, simplified.ToolCall{}, true)
	f(`<ToolCall/>`, simplified.ToolCall{}, false)
	f(`<ToolCall type="&#65;&#x42;&#X43;&#;&#x;&#1114112;&amp;amp;&AMP;&#000000000065;"></ToolCall>`, simplified.ToolCall{Type: "AB&#X43;&#;&#x;&#1114112;&amp;&AMP;&#000000000065;"}, true)
	f(`no tag`, simplified.ToolCall{}, false)
}

// FuzzToolCall is S0-32: whatever the values are, the element stays one element, and they come back.
func FuzzToolCall(f *testing.F) {
	f.Add("web_search", "id", "query", `"><script>&amp;'`)
	f.Add("", "", "stdout", "\x00\n")
	f.Add("a", "b", "x\"y", "&#39;&#x27;")
	f.Fuzz(func(t *testing.T, tool, id, name, value string) {
		for _, s := range []*string{&tool, &id, &value} {
			*s = strings.ToValidUTF8(*s, "?")
		}
		want := simplified.ToolCall{Type: tool, Status: "running", ID: id, Attrs: extra(name, value)}
		text := simplified.AppendToolCall(nil, want)
		if !element.Match(text) {
			t.Fatalf("not one element: %s", text)
		}
		got, ok := simplified.ParseToolCall(append(text, `<ToolCall type="other">`...))
		if !ok || got.Type != tool || got.ID != id || got.Status != "running" {
			t.Fatalf("got %+v of %s", got, text)
		}
		if len(got.Attrs) > 0 && !slices.Equal(got.Attrs, want.Attrs) {
			t.Fatalf("got %+v, want %+v", got.Attrs, want.Attrs)
		}
	})
}

// FuzzUpdateToolCallMarkup changes tags in any content: only the tag changes, it stays a tag with the values it was given,
// and to say it again changes nothing.
func FuzzUpdateToolCallMarkup(f *testing.F) {
	tag := `<ToolCall type="x" status="running" toolCallId="1" query="a &amp; b"></ToolCall>`
	f.Add("before <ToolCall", tag, "1", "success", "", "videoId", "v")
	f.Add("", `<toolcall toolCallId="1">`, "1", "error", `"<>`, `a"b`, "x")
	f.Add(tag, tag, "1", "error", "e", "error", "x")
	f.Fuzz(func(t *testing.T, before, tag, id, status, fault, name, value string) {
		content := []byte(before + tag)
		u := update{Status: strings.ToValidUTF8(status, "?"), Error: strings.ToValidUTF8(fault, "?"), Extra: extra(name, strings.ToValidUTF8(value, "?"))}
		got := simplified.UpdateToolCallMarkup(content, id, u)
		if again := simplified.UpdateToolCallMarkup(got, id, u); !bytes.Equal(again, got) {
			t.Fatalf("once   %q\nagain  %q", got, again)
		}
		if !bytes.Equal(anyTag.ReplaceAll(got, nil), anyTag.ReplaceAll(content, nil)) {
			t.Fatalf("more than a tag was changed: %q became %q", content, got)
		}
		if bytes.Equal(got, content) {
			return
		}
		start := bytes.LastIndexByte(got[:same(content, got)+1], '<')
		c, ok := simplified.ParseToolCall(got[start:])
		if want := u.Status; !ok || want != "" && c.Status != want && name != "status" {
			t.Fatalf("the tag says %+v, want status %q: %q", c, want, got)
		}
	})
}

// anyTag finds the start tags of tool calls.
var anyTag = regexp.MustCompile(`(?i)<ToolCall([ \t\n\r][^<>]*)?>`)

// same returns how many bytes a and b have in common at their beginning.
func same(a, b []byte) (n int) {
	for n < min(len(a), len(b))-1 && a[n] == b[n] {
		n++
	}
	return n
}
