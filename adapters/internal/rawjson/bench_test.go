package rawjson

import (
	"encoding/json"
	"strings"
	"testing"
)

// record returns the nested record with another text.
func record(text string) []byte { return []byte(strings.Replace(nested, "Hello wor", text, 1)) }

// benchRecords are records of the sizes and contents that streams carry.
var benchRecords = []struct {
	name string
	data []byte
}{
	{"nested", []byte(nested)},
	{"flat", []byte(flat)},
	{"cjk", record("敏捷的棕色狐狸")},
	{"code1K", record(strings.Repeat(`if err != nil {\n\treturn fmt.Errorf(\"cannot read: %w\", err)\n}\n`, 15))},
	{"code4K", record(strings.Repeat(`if err != nil {\n\treturn fmt.Errorf(\"cannot read: %w\", err)\n}\n`, 61))},
	{"cjk4K", record(strings.Repeat("敏捷的棕色狐狸跳过了懒狗。", 104))},
	{"tool4K", []byte(strings.Replace(nested, `"content":`, `"rawInput":[`+
		strings.Repeat(`{"path":"/src/main.go","line":120,"old":"return nil","new":"return err"},`, 54)+`0],"content":`, 1))},
}

// BenchmarkDecode decodes every record with one schema.
//
//	go test -run '^$' -bench BenchmarkDecode -count 8 ./adapters/internal/rawjson
func BenchmarkDecode(b *testing.B) {
	var d Decoder
	for _, rec := range benchRecords {
		b.Run(rec.name, func(b *testing.B) {
			b.SetBytes(int64(len(rec.data)))
			b.ReportAllocs()
			var u update
			for b.Loop() {
				u = update{}
				if err := d.Decode(rec.data, &u); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The same records by the standard library's validator, which fills nothing.
func BenchmarkStandardValid(b *testing.B) {
	for _, rec := range benchRecords {
		b.Run(rec.name, func(b *testing.B) {
			b.SetBytes(int64(len(rec.data)))
			for b.Loop() {
				if !json.Valid(rec.data) {
					b.Fatal("record is not valid")
				}
			}
		})
	}
}

func BenchmarkStrings(b *testing.B) {
	code := []byte("if err != nil {\n\treturn fmt.Errorf(\"cannot read: %w\", err)\n}\n")
	body := AppendEscaped(nil, code)
	f := func(name string, src []byte, appendTo func(dst, src []byte) []byte) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			buf := make([]byte, 0, 1024)
			for b.Loop() {
				buf = appendTo(buf[:0], src)
			}
		})
	}
	f("escape/code", code, AppendEscaped)
	f("escape/token", []byte(" quick"), AppendEscaped)
	f("unescape/code", body, AppendUnescaped)
	f("unescape/token", []byte(" quick"), AppendUnescaped)
	f("compact", []byte(nested), func(dst, src []byte) []byte { return AppendCompact(dst, src) })
}
