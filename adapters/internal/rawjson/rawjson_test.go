package rawjson

import "testing"

type update struct {
	SessionID Value `json:"sessionId"`
	Update    struct {
		Kind    Value `json:"sessionUpdate"`
		Content struct {
			Type Value `json:"type"`
			Text Value `json:"text"`
		} `json:"content"`
	} `json:"update"`
}

const nested = `{"sessionId":"a1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hello wor"}}}`

func TestDecodeFillsNestedFields(t *testing.T) {
	var d Decoder
	var u update
	if err := d.Decode([]byte(nested), &u); err != nil {
		t.Fatal(err)
	}
	if body, ok := Str(u.Update.Content.Text); !ok || string(body) != "Hello wor" {
		t.Errorf("text is %q, %v", body, ok)
	}
}
