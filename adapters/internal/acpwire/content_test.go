package acpwire_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
)

// TestJoinContent: one text is not copied, several are lines of one body, and what has no text is passed over.
func TestJoinContent(t *testing.T) {
	f := func(content, want string, copies bool) {
		t.Helper()
		all, joined := acpwire.JoinContent([]byte("before "), []byte(content))
		if string(joined) != want {
			t.Errorf("%s: got %q, want %q", content, joined, want)
		}
		if grown := len(all) > len("before "); grown != copies {
			t.Errorf("%s: copied %t, want %t", content, grown, copies)
		}
	}
	const one, two = `{"type":"content","content":{"type":"text","text":"a"}}`, `{"type":"content","content":{"text":"b","type":"text"}}`
	const diff, image = `{"type":"diff","path":"a.go"}`, `{"type":"content","content":{"type":"image","text":"c"}}`
	f(`[`+one+`]`, `a`, false)
	f(`[`+diff+`,`+one+`,`+image+`,`+two+`]`, `a\nb`, true)
	f(`[`+one+`,`+two+`,`+one+`]`, `a\nb\na`, true)
	f(`["a",1]`, ``, false)
	f(`null`, ``, false)
	if _, joined := acpwire.JoinContent(nil, []byte(`[`+diff+`]`)); joined != nil {
		t.Errorf("no text at all is %q, want nil", joined)
	}
}

// TestReadBlock: members of another type are absent, and an empty text is none of those.
func TestReadBlock(t *testing.T) {
	b := acpwire.ReadBlock([]byte(`{"type":"image","text":"","data":1,"mimeType":null,"uri":"u","name":["n"],"more":"x"}`))
	if string(b.Kind) != "image" || string(b.URI) != "u" || b.Data != nil || b.Mime != nil || b.Name != nil || b.Text == nil {
		t.Errorf("got %q", b)
	}
}

// TestAppendTextItem: items have a comma between them, and none before the first.
func TestAppendTextItem(t *testing.T) {
	got := acpwire.AppendTextItem(acpwire.AppendTextItem([]byte("["), []byte("a")), []byte(`\"`))
	const want = `[{"type":"content","content":{"type":"text","text":"a"}},{"type":"content","content":{"type":"text","text":"\""}}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
