package redact

import (
	"slices"
	"strings"
	"testing"
)

// TestLines: what a program writes is masked in each line, in text and in JSON, and from line to line.
func TestLines(t *testing.T) {
	builtin, err := New([]string{"keys", "emails"}, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	own, err := New(nil, false, []Pattern{{Name: "path", Expr: `C:\\secret`, Block: true}, {Name: "staff", Expr: `E-[0-9]{6}`}})
	if err != nil {
		t.Fatal(err)
	}
	const key = "sk-abcdefghijklmnopqrstuvwxyz"
	f := func(want string, counted []string, lines ...string) {
		t.Helper()
		var names []string
		l := new(Lines)
		for _, r := range []*Rules{builtin, own} {
			l.Search(r, func(name string) { names = append(names, name) })
		}
		got := ""
		for _, line := range lines {
			text, cut := strings.CutSuffix(line, "…")
			got += string(l.Add([]byte(text), !cut))
		}
		if got += string(l.End()); got != want || !slices.Equal(names, counted) {
			t.Errorf("%q:\n got %q, %v\nwant %q, %v", lines, got, names, want, counted)
		}
	}
	f("all is well\n\nbye\n", nil, "all is well", "", "bye")
	f("ask [redacted:emails]\nor not\n", []string{"emails"}, "ask jane@example.com", "or not")
	f("jane@\nexample.com\n", nil, "jane@", "example.com")
	f(`{"to":"[redacted:emails]"}`+"\n", []string{"emails"}, `{"to":"jane\u0040example.com"}`)
	f(`{"key":"\n[redacted:keys]"}`+"\n", []string{"keys"}, `{"key":"\n`+key+`"}`)
	f("in [redacted:path] and "+`C:\else`+"\n", []string{"path"}, `in C:\secret and C:\else`)
	f("who is [redacted:staff] here\n", []string{"staff"}, "who is E-123456 here")
	f("is [redacted:keys]it\n", []string{"keys"}, "is -----BEGIN PRIVATE KEY-----", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "BKcwggSjAgEAAoIBAQC7", "-----END PRIVATE KEY-----it")
	f("too long for \nnext\n", nil, "too long for jane@exa…", "next")
	f("too long for [redacted:keys]\nnext\n", []string{"keys"}, "too long for "+key+"…", "next")
}
