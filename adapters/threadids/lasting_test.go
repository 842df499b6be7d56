package threadids

import (
	"crypto/rand"
	"strings"
	"testing"
)

func TestLasting(t *testing.T) {
	for id, want := range map[string]bool{
		// Counters, words and short ids, and what Sabir makes.
		"": false, "t1": false, "1": false, "item_0": false, "chatcmpl-1": false, "chatcmpl-999": false, "call_12": false, "p_1": false,
		"sabir_ask_3": false, "message": false, "assistantMessage12": false, "turn1message2": false, "run-1-step-2-call-3": false,
		"0000000000000012": false, "msg_00000000-0000-0000-0000-000000000000": false, "get_weather-2": false, "antwort-für-1": false,
		// Ids of servers.
		"3f2b8c1e-9d4a-4f6b-8e21-0a1b2c3d4e5f": true, "run--3F2B8C1E-9D4A-4F6B-8E21-0A1B2C3D4E5F-0": true,
		"toolu_01A09q90qw90lq917835lq9": true, "msg_01XFDUDYJgAACzvnptvVoYEL": true, "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT": true,
		"call_5ae7c2f10b9d4c0e8f3a6b7d": true, "1795307687428-0": true, "lc_run--019a8f": false,
		"01ARZ3NDEKTSV4RRFFQ69G5FAV": true, "resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b": true,
	} {
		if got := Lasting([]byte(id)); got != want {
			t.Errorf("%q: %t", id, got)
		}
	}
}

// TestLastingByChance: of ids that are random, nearly all are taken for that.
func TestLastingByChance(t *testing.T) {
	lasting, all := 0, 2000
	for range all {
		if Lasting([]byte("call_" + strings.ToLower(rand.Text()[:24]))) {
			lasting++
		}
	}
	if lasting < all*9/10 {
		t.Errorf("%d of %d", lasting, all)
	}
}
