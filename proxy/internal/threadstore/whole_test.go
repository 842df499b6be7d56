package threadstore

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/runlog"
	"github.com/sabir-proxy/sabir/proxy/internal/threads"
	"github.com/sabir-proxy/sabir/proxy/internal/threads/threadstest"
)

// filler gives every exported member a value of its own, so that none comes back in place of another.
type filler struct {
	t    *testing.T
	n    int
	skip []string // members that stay empty, by the names of their types and their own
}

func filled[T any](t *testing.T, skip ...string) (v T) {
	t.Helper()
	f := &filler{t: t, skip: skip}
	f.fill(reflect.ValueOf(&v).Elem(), reflect.TypeOf(v).Name())
	return v
}

func (f *filler) fill(v reflect.Value, at string) {
	f.t.Helper()
	f.n++
	switch kind := v.Kind(); {
	case v.CanInt():
		v.SetInt(int64(f.n%100 + 1))
	case v.CanUint():
		v.SetUint(uint64(f.n%100 + 1))
	case v.CanFloat():
		v.SetFloat(float64(f.n) + 0.5)
	case kind == reflect.Bool:
		v.SetBool(true)
	case kind == reflect.String:
		v.SetString(fmt.Sprintf("s%d", f.n))
	case kind == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		v.SetBytes(fmt.Appendf(nil, "%d <&>\u2028\xff\x00", f.n)) // bytes of a stream need be neither text nor JSON
	case kind == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		f.fill(v.Index(0), at)
		f.fill(v.Index(1), at)
	case kind == reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i), at)
		}
	case kind == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), at)
	case kind == reflect.Struct:
		f.members(v)
	case v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String:
		element := reflect.New(v.Type().Elem()).Elem()
		f.fill(element, at)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf(at), element)
	default:
		f.t.Fatalf("%s is a %s: say how it is filled, or why it is left out", at, v.Type())
	}
}

func (f *filler) members(v reflect.Value) {
	f.t.Helper()
	for i := range v.NumField() {
		member := v.Type().Field(i)
		at := v.Type().Name() + "." + member.Name
		if member.IsExported() && !slices.Contains(f.skip, at) {
			f.fill(v.Field(i), at)
		}
	}
}

// same fails at each member that two values do not share.
func same(t *testing.T, at string, got, want reflect.Value) {
	t.Helper()
	switch {
	case reflect.DeepEqual(got.Interface(), want.Interface()):
	case want.Kind() == reflect.Struct:
		for i := range want.NumField() {
			if member := want.Type().Field(i); member.IsExported() {
				same(t, at+"."+member.Name, got.Field(i), want.Field(i))
			}
		}
	case want.Kind() == reflect.Pointer && !got.IsNil() && !want.IsNil():
		same(t, at, got.Elem(), want.Elem())
	case want.Kind() == reflect.Slice && want.Type().Elem().Kind() != reflect.Uint8 && got.Len() == want.Len():
		for i := range want.Len() {
			same(t, fmt.Sprintf("%s[%d]", at, i), got.Index(i), want.Index(i))
		}
	default:
		t.Errorf("%s is %#v, want %#v", at, got.Interface(), want.Interface())
	}
}

func wantsSame(t *testing.T, at string, got, want any) {
	t.Helper()
	same(t, at, reflect.ValueOf(got), reflect.ValueOf(want))
}

// notKept is what holds for the request alone that has brought a result.
const notKept = "CallResult.Last"

// TestEveryMember: every exported member of what conversations are made of comes back from Redis, one that is new as well, and so does
// one that has none of them.
func TestEveryMember(t *testing.T) {
	r := open(t, newServer(t).address, time.Minute)
	said := threads.Said{Messages: []hub.Message{filled[hub.Message](t, notKept), {Parts: []hub.Part{{}}}}, From: 1, Run: filled[hub.Run](t, "Run.Messages", notKept)}
	asked := hub.Request{Tools: hub.ToolList{Defs: []hub.Tool{filled[hub.Tool](t), {}}}}
	turn := threadstest.Begin(t, r, threads.Turn{Answer: threadstest.Answer("x"), Asked: asked})
	r.End(turn, &said)
	next := threadstest.Begin(t, r, threads.Turn{From: threadstest.Answer("x")})
	wantsSame(t, "Message", next.Before, said.Messages)
	wantsSame(t, "Tool", next.Was.Tools.Defs, asked.Tools.Defs)
	v, err := r.Find(threadstest.Answer("x"))
	if err != nil {
		t.Fatal(err)
	}
	said.Run.Messages = said.Messages[1:]
	wantsSame(t, "Run", v.Run, said.Run)
}

// TestEveryMemberOfRuns is [TestEveryMember] for what clients ask of runs.
func TestEveryMemberOfRuns(t *testing.T) {
	r := Runs{open(t, newServer(t).address, time.Minute).Store}
	key := runlog.Key{Scope: "\xff", Run: "r"}
	for _, want := range []runlog.Run{filled[runlog.Run](t, notKept), {PastRun: hub.PastRun{Run: hub.Run{Ended: true}}}} {
		if err := r.Put(key, want); err != nil {
			t.Fatal(err)
		}
		got, err := r.Find(key)
		if err != nil {
			t.Fatal(err)
		}
		wantsSame(t, "Run", got, want)
	}
}

// TestEveryMemberOfRequests: a request is as it was for another replica, but for what no later turn asks for.
func TestEveryMemberOfRequests(t *testing.T) {
	want := filled[hub.Detached](t,
		"Request.MessageIDs", "Request.History", "Request.Tools", // stand in the other members of Detached, and in record.Tools
		"Request.Header", "Request.Query", "Request.Endpoint", // of the HTTP request, which is over
		"Request.UpstreamQuery",                                // of the configuration
		"Request.Unread", "Request.Beside", "Request.Demanded", // are counted with the request itself
		notKept,
	)
	data, err := json.Marshal(record{Asked: &want})
	if err != nil {
		t.Fatal(err)
	}
	var got record
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	wantsSame(t, "Detached", *got.Asked, want)
	for _, member := range []string{"MessageIDs", "Header"} {
		if strings.Contains(string(data), `"`+member+`":{`) {
			t.Errorf("%s is stored: %s", member, data)
		}
	}
}
