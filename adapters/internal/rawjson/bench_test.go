package rawjson

import (
	"encoding/json"
	"strings"
	"testing"
	"unsafe"

	"github.com/bytedance/sonic/decoder"
)

type flat struct {
	Type  Value `json:"type"`
	ID    Value `json:"messageId"`
	Delta Value `json:"delta"`
}

const flatRecord = `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"Hi there"}`

var nested4K = strings.Replace(nested, "Hello wor", strings.Repeat("The quick brown fox said \\\"hello\\\" to the lazy dog.\\n", 78), 1)
var tool4K = strings.Replace(nested, `"content":{`, `"rawInput":{"edits":[`+strings.TrimSuffix(strings.Repeat(`{"path":"/src/main.go","line":120,"old":"return nil","new":"return err"},`, 52), ",")+`]},"content":{`, 1)
var cjk4K = strings.Replace(nested, "Hello wor", strings.Repeat("敏捷的棕色狐狸跳过了懒狗。", 100), 1)

func BenchmarkDecode(b *testing.B) {
	run := func(name, rec string, fresh func() any, clear func(any)) {
		data := []byte(rec)
		v := fresh()
		b.Run(name+"/walker", func(b *testing.B) {
			var d Decoder
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				clear(v)
				if err := d.Decode(data, v); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/sonic", func(b *testing.B) {
			d := decoder.NewDecoder("")
			d.SetOptions(decoder.OptionValidateString | decoder.OptionCaseSensitive)
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				clear(v)
				d.Reset(unsafe.String(&data[0], len(data)))
				if err := d.Decode(v); err != nil {
					b.Fatal(err)
				}
				if err := d.CheckTrailings(); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/std", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if !json.Valid(data) {
					b.Fatal()
				}
			}
		})
	}
	newU, clrU := func() any { return new(update) }, func(v any) { *v.(*update) = update{} }
	run("nested", nested, newU, clrU)
	run("flat", flatRecord, func() any { return new(flat) }, func(v any) { *v.(*flat) = flat{} })
	run("text4K", nested4K, newU, clrU)
	run("tool4K", tool4K, newU, clrU)
	run("cjk4K", cjk4K, newU, clrU)
}
