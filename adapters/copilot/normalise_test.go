package copilot_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/copilot"
)

// S2-23: properties are found at the root or under data; data wins. S2-69: without a network.
func TestProperty(t *testing.T) {
	f := func(event, name, want string) {
		t.Helper()
		if got := string(copilot.Property([]byte(event), name)); got != want {
			t.Errorf("%s of %s is %q, want %q", name, event, got, want)
		}
	}
	f(`{"type":"tool.execution_complete","toolCallId":"toolu_123","success":true}`, "toolCallId", `"toolu_123"`)
	f(`{"type":"tool.execution_complete","toolCallId":"toolu_123","success":true}`, "success", `true`)
	f(`{"type":"tool.execution_complete","data":{"toolCallId":"toolu_456","success":false}}`, "toolCallId", `"toolu_456"`)
	f(`{"type":"tool.execution_complete","data":{"success":false}}`, "success", `false`)
	f(`{"type":"x","toolCallId":"root","data":{"toolCallId":"data"}}`, "toolCallId", `"data"`)
	f(`{"type":"x","toolCallId":"root","data":{"other":1}}`, "toolCallId", `"root"`)
	f(`{"type":"x"}`, "missing", ``)
	f(`{"type":"x","id":"event","data":{"id":7}}`, "id", `7`)
	f(`{"type":"x","id":"event"}`, "id", ``) // the id of the event is no property
	f(`{"type":"x","data":"no object"}`, "a", ``)
}

func TestProperties(t *testing.T) {
	f := func(event, want string) {
		t.Helper()
		if _, got := copilot.Properties(nil, []byte(event)); string(got) != want {
			t.Errorf("the properties of %s are %s, want %s", event, got, want)
		}
	}
	f(`{"type":"x","data":{"a":1, "b":[2]}}`, `{"a":1, "b":[2]}`)
	f(`{"type":"x","id":"1","timestamp":"t","parentId":null,"ephemeral":true,"agentId":"a","data":{}}`, `{}`)
	f(`{"type":"x"}`, `{}`)
	f(`{"type":"x","data":null}`, `{}`)
	f(`{"type":"x","a":1,"b":"2"}`, `{"a":1,"b":"2"}`)
	f(`{"a":1,"type":"x","b":"2","data":{"c":3,"a":4}}`, `{"c":3,"a":4,"b":"2"}`)
	f(`{"a":1,"type":"x","data":7}`, `{"a":1}`)
	f(`{"\u0061":1,"type":"x","data":{"a":4}}`, `{"a":4}`)
	dst, got := copilot.Properties([]byte("before "), []byte(`{"type":"x","a":1}`))
	if string(dst) != `before {"a":1}` || string(got) != `{"a":1}` {
		t.Errorf("appended to what was there, it is %q and %q", dst, got)
	}
}

// S2-24: both forms of a completion give one shape. S2-69.
func TestNormaliseToolComplete(t *testing.T) {
	f := func(event string, want *copilot.ToolCompletion) {
		t.Helper()
		got, ok := copilot.NormaliseToolComplete([]byte(event))
		switch {
		case ok != (want != nil):
			t.Errorf("%s: is a completion: %t", event, ok)
		case !ok:
		case string(got.ID) != string(want.ID), string(got.Name) != string(want.Name), got.Success != want.Success,
			string(got.Content) != string(want.Content), (got.Content == nil) != (want.Content == nil):
			t.Errorf("%s:\n got %q %q %t %q\nwant %q %q %t %q", event,
				got.ID, got.Name, got.Success, got.Content, want.ID, want.Name, want.Success, want.Content)
		}
	}
	done := &copilot.ToolCompletion{ID: []byte("toolu_1"), Name: []byte("embed_media"), Success: true, Content: []byte("[output:xxx] Done")}
	f(`{"type":"tool.execution_complete","toolCallId":"toolu_1","toolName":"embed_media","success":true,"result":{"content":"[output:xxx] Done"}}`, done)
	f(`{"type":"tool.execution_complete","data":{"toolCallId":"toolu_1","toolName":"embed_media","success":true,"result":{"content":"[output:xxx] Done"}}}`, done)
	f(`{"type":"tool.execution_complete","toolCallId":"toolu_1","data":{"name":"embed_media","success":true,"result":"[output:xxx] Done"}}`, done)
	f(`{"type":"tool.execution_complete","toolCallId":"toolu_123"}`, &copilot.ToolCompletion{ID: []byte("toolu_123")})
	f(`{"type":"tool.execution_complete","success":true}`, nil)
	f(`{"type":"assistant.message","data":{"content":"hi","toolCallId":"x"}}`, nil)
	f(`[]`, nil)
}

// S2-25: the text that tools wrap in an object is unwrapped; plain text stays. S2-69.
func TestResultText(t *testing.T) {
	f := func(content, wantText, wantWrapper string) {
		t.Helper()
		_, text, wrapper := copilot.ResultText(nil, []byte(content))
		if string(text) != wantText || string(wrapper) != wantWrapper {
			t.Errorf("%s:\n got %q, %q\nwant %q, %q", content, text, wrapper, wantText, wantWrapper)
		}
	}
	f(`Hello world`, `Hello world`, ``)
	f(``, ``, ``)
	f(`{\"textResultForLlm\":\"[output:xxx] Embed \\\"done\\\"\",\"toolTelemetry\":{\"outputId\":\"xxx\"}}`,
		`[output:xxx] Embed \"done\"`, `{"textResultForLlm":"[output:xxx] Embed \"done\"","toolTelemetry":{"outputId":"xxx"}}`)
	f(`{\"data\":\"value\"}`, `{\"data\":\"value\"}`, ``)
	f(`{\"textResultForLlm\":5}`, `{\"textResultForLlm\":5}`, ``)
	f(`say textResultForLlm`, `say textResultForLlm`, ``)
	f(`[\"textResultForLlm\"]`, `[\"textResultForLlm\"]`, ``)
	dst, text, _ := copilot.ResultText([]byte("x"), []byte(`{\"textResultForLlm\":\"a\"}`))
	if string(text) != "a" || string(dst) != `x{"textResultForLlm":"a"}` {
		t.Errorf("appended to what was there, it is %q, the text %q", dst, text)
	}
}
