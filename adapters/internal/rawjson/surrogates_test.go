package rawjson_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// TestReplaceHalves: halves of pairs are replaced, and nothing else, also where a backslash is escaped.
func TestReplaceHalves(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":"plain \" \\ \u00e4"}`: `{"a":"plain \" \\ \u00e4"}`,
		`["\ud83d\ude00"]`:           `["\ud83d\ude00"]`,
		`["\uD83D\uDE00\uD83D"]`:     `["\uD83D\uDE00\ufffd"]`,
		`["a\ud83d b\ude00c"]`:       `["a\ufffd b\ufffdc"]`,
		`["\ud83d\ud83d\ude00"]`:     `["\ufffd\ud83d\ude00"]`,
		`["\ude00\ud83d"]`:           `["\ufffd\ufffd"]`,
		`["\\ud83d"]`:                `["\\ud83d"]`,
		`["\\\ud83d"]`:               `["\\\ufffd"]`,
		`["\ud83d\u0041"]`:           `["\ufffd\u0041"]`,
		`\ud83`:                      `\ud83`,
		`\ud83d\`:                    `\ufffd\`,
	} {
		got := []byte(text)
		if some := rawjson.ReplaceHalves(got); string(got) != want || some != (text != want) {
			t.Errorf("%s: got %s, %t, want %s", text, got, some, want)
		}
	}
}
