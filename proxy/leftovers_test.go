package proxy

import (
	"reflect"
	"testing"
)

// leavesNothing fails the test if a server that has ended still keeps something for a run or a connection, which is of no use any more: it takes
// memory, or a place that others do not get.
func (r *rig) leavesNothing() {
	r.t.Helper()
	// What writes to a page ends a moment after its connection.
	await(r.t, "the pages of operators to end", func() bool { return r.kept.inspect.watching.Load() == 0 })
	open := 0
	for _, a := range r.kept.quotas.places {
		open += a.open
	}
	for e := r.kept.quotas.recent.Front(); e != nil; e = e.Next() {
		open += e.Value.(*account).open
	}
	perPath := int64(0)
	for _, n := range r.perPath.by {
		perPath += n.Load()
	}
	live, _, _ := r.kept.shared.Count()
	if r.replicas != nil {
		live = 0 // those of other replicas go on
	}
	for what, n := range map[string]int{
		"streams": len(r.streams), "streams by their number": int(r.open.Load()), "streams of routes": int(perPath), "runs": r.running,
		"clients that stay": len(r.sessions), "runs of accounts": open, "runs that others can come to": live,
		"runs that can be cancelled": len(r.runs.byKey), "streams that wait for their run": len(r.pending.byKey),
		"claims": len(r.kept.claims.byKey), "connections by lines": len(r.lineConns.byID), "bytes of bodies": int(r.bodies.Used.Load()),
		"clients with runs": hidden(r.t, &r.shed, "open").Len(), "names that are waited for": hidden(r.t, &r.kept.shared, "awaited").Len(),
		"bytes of recordings": int(r.kept.files.memory.used.Load()),
	} {
		if n != 0 {
			r.t.Errorf("%s at the end: %d", what, n)
		}
	}
}

// hidden is a field of another package's.
func hidden(t testing.TB, of any, name string) reflect.Value {
	v := reflect.ValueOf(of).Elem().FieldByName(name)
	if !v.IsValid() {
		t.Fatalf("%T has no field %s", of, name)
	}
	return v
}
