package rawjson_test

import (
	"strings"
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
		`["` + strings.Repeat(`\"`, 9) + `\ud83d` + strings.Repeat(`\\`, 9) + `ud83d\n` + strings.Repeat(`x\u00e4`, 9) + `\ude00"]`: `["` + strings.Repeat(`\"`, 9) + `\ufffd` +
			strings.Repeat(`\\`, 9) + `ud83d\n` + strings.Repeat(`x\u00e4`, 9) + `\ufffd"]`,
	} {
		got := []byte(text)
		if some := rawjson.ReplaceHalves(got); string(got) != want || some != (text != want) {
			t.Errorf("%s: got %s, %t, want %s", text, got, some, want)
		}
	}
}

// TestReplaceHalvesEverywhere: a half is found at each place, whatever stands around it.
func TestReplaceHalvesEverywhere(t *testing.T) {
	for _, around := range []string{"x", `\"`, `\\`, `\u00e4`, `u`, "\u00e4"} {
		for n := range 40 {
			before, behind := strings.Repeat(around, n), strings.Repeat(around, 40-n)
			got := []byte(`["` + before + `\ud83d` + behind + `"]`)
			if want := `["` + before + `\ufffd` + behind + `"]`; !rawjson.ReplaceHalves(got) || string(got) != want {
				t.Fatalf("got %s, want %s", got, want)
			}
		}
	}
}
