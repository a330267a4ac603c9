package integration

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestShoppingRead(t *testing.T) {
	t.Parallel()
	s := startShopping(t)

	t.Run("READ.1", func(t *testing.T) {
		for _, args := range []string{`{}`, `{"target":"recipes"}`, `{"target":"shopping_list","aisle":"Produce"}`} {
			if text, isError := call(t, s.session, "read", args); !isError || s.received() != "" {
				t.Errorf("%s: got %v %s; sent: %s", args, isError, text, s.received())
			}
		}
		if text, isError := call(t, s.session, "read", `{"target":"shopping_list"}`); isError || !strings.Contains(text, "Tomatoes") {
			t.Errorf("got %v %s", isError, text)
		}
		same(t, "sent", s.received(), "GET /shopping-list")
	})

	list := decode[struct {
		Aisles []map[string]any `json:"aisles"`
		Groups []map[string]any `json:"groups"`
	}](t, s.session, "read", `{"target":"shopping_list"}`)
	for _, tt := range []struct {
		requirement string
		of          []map[string]any
		field       string
		want        []any // nil where there is none
	}{
		{"READ.2", list.Aisles, "name", []any{"Produce", "Dairy & Eggs", "Bakery", "Other"}},
		{"READ.3", list.Aisles, "id", []any{"aisle-produce", "aisle-dairy", "aisle-bakery", "aisle-other"}},
		{"READ.4", list.Groups, "id", []any{"group-1", "group-2", "group-3", "group-4"}},
		{"READ.5", list.Groups, "name", []any{"Tomatoes", "Corn tortillas", "Milk", "Kitchen foil"}},
		{"READ.6", list.Groups, "quantity", []any{"4", "12", "500 ml", nil}},
		{"READ.7", list.Groups, "selected", []any{false, true, false, true}},
		{"READ.8", list.Groups, "aisle_id", []any{"aisle-produce", "aisle-bakery", "aisle-dairy", "aisle-other"}},
		{"READ.9", list.Groups, "recipe_ids", []any{[]string{"recipe-tacos"}, []string{"recipe-tacos"}, []string{"recipe-pancakes"}, nil}},
	} {
		t.Run(tt.requirement, func(t *testing.T) {
			var got []any
			for i, one := range tt.of {
				value, ok := one[tt.field]
				if want := i < len(tt.want) && tt.want[i] != nil; ok != want {
					t.Errorf("%v has a %s: %v, want %v", one, tt.field, ok, want)
				}
				got = append(got, value)
			}
			same(t, tt.field, got, tt.want)
		})
	}

	t.Run("an empty list", func(t *testing.T) {
		call(t, s.session, "change_shopping_list", `{"action":"clear"}`)
		if text, isError := call(t, s.session, "read", `{"target":"shopping_list"}`); isError || !strings.Contains(text, `"groups":[]`) {
			t.Errorf("got %v %s", isError, text)
		}
	})
}

func TestShoppingChanges(t *testing.T) {
	t.Parallel()
	s := startShopping(t)
	const read = "GET /shopping-list"
	all := []string{tomatoes, tortillas, milk, foil}
	for _, tt := range []struct {
		requirement, args string
		reply             string
		sent              []string
		list              []string
	}{
		{
			"ADD.1", `{"action":"add","ingredients":"2 limes"}`, `{"added":1}`,
			[]string{`POST /shopping-list/ingredients {"ingredients":"2 limes"}`},
			append(all[:4:4], "[ ] group-5 limes (2) aisle-produce"),
		},
		{
			"ADD.2", `{"action":"add","ingredients":"2 limes\neggs\n1 Tomatoes"}`, `{"added":3}`,
			[]string{`POST /shopping-list/ingredients {"ingredients":"2 limes\neggs\n1 Tomatoes"}`},
			[]string{"[ ] group-1 Tomatoes (5) aisle-produce recipe-tacos", tortillas, milk, foil, "[ ] group-5 limes (2) aisle-produce", "[ ] group-6 eggs () aisle-dairy"},
		},
		{
			"ADD.3 recipe", `{"action":"add","ingredients":"eggs","recipe_id":"recipe-pancakes"}`, `{"added":1}`,
			[]string{`POST /shopping-list/ingredients {"ingredients":"eggs","recipe_id":"recipe-pancakes"}`},
			append(all[:4:4], "[ ] group-5 eggs () aisle-dairy recipe-pancakes"),
		},
		{
			"ADD.3 import draft", `{"action":"add","ingredients":"eggs","import_draft_id":"draft-lime-pie","recipe_id":""}`, `{"added":1}`,
			[]string{`POST /shopping-list/ingredients {"import_draft_id":"draft-lime-pie","ingredients":"eggs"}`},
			append(all[:4:4], "[ ] group-5 eggs () aisle-dairy draft-lime-pie"),
		},
		{
			"ADD.4", `{"action":"add","ingredients":"For the pie:\n2 limes\n\neggs"}`, `{"added":2}`,
			[]string{`POST /shopping-list/ingredients {"ingredients":"For the pie:\n2 limes\n\neggs"}`},
			append(all[:4:4], "[ ] group-5 limes (2) aisle-produce", "[ ] group-6 eggs () aisle-dairy"),
		},
		{
			"ADD.5", `{"action":"add","ingredients":"Limes — 3\r\n Brown sugar—1.5 \nTomatoes — 2\n7up — 6\nSalt — coarse\nCream — 200 ml"}`, `{"added":6}`,
			[]string{`POST /shopping-list/ingredients {"ingredients":"3 Limes\n1.5 Brown sugar\n2 Tomatoes\n6 7up\nSalt — coarse\nCream — 200 ml"}`},
			[]string{
				"[ ] group-1 Tomatoes (6) aisle-produce recipe-tacos", tortillas, milk, foil,
				"[ ] group-5 Limes (3) aisle-produce", "[ ] group-6 Brown sugar (1.5) aisle-other", "[ ] group-7 7up (6) aisle-other",
				"[ ] group-8 Salt — coarse () aisle-other", "[ ] group-9 Cream — 200 ml () aisle-other",
			},
		},

		{
			"UPDATE_ITEM.1", `{"action":"update_item","id":"group-3","name":"Oat milk","quantity":"1 l","aisle_id":"aisle-other","selected":true}`, `{"updated":"group-3"}`,
			[]string{read, `PUT /shopping-list/groups/group-3 {"aisle_id":"aisle-other","name":"Oat milk","quantity":"1 l","selected":true}`},
			[]string{tomatoes, tortillas, "[x] group-3 Oat milk (1 l) aisle-other recipe-pancakes", foil},
		},
		{
			"UPDATE_ITEM.2", `{"action":"update_item","id":"group-1","quantity":6,"name":null}`, `{"updated":"group-1"}`,
			[]string{read, `PUT /shopping-list/groups/group-1 {"aisle_id":"aisle-produce","name":"Tomatoes","quantity":"6","selected":false}`},
			[]string{"[ ] group-1 Tomatoes (6) aisle-produce recipe-tacos", tortillas, milk, foil},
		},
		{
			"UPDATE_ITEM.3", `{"action":"update_item","id":"group-2","aisle_id":"aisle-other"}`, `{"updated":"group-2"}`,
			[]string{read, `PUT /shopping-list/groups/group-2 {"aisle_id":"aisle-other","name":"Corn tortillas","quantity":"12","selected":true}`},
			[]string{tomatoes, "[x] group-2 Corn tortillas (12) aisle-other recipe-tacos", milk, foil},
		},
		{
			"UPDATE_ITEM.4", `{"action":"update_item","id":"group-2","name":"Wraps"}`, `{"updated":"group-2"}`,
			[]string{read, `PUT /shopping-list/groups/group-2 {"aisle_id":"aisle-bakery","name":"Wraps","quantity":"12","selected":true}`},
			[]string{tomatoes, "[x] group-2 Wraps (12) aisle-bakery recipe-tacos", milk, foil},
		},
		{
			"UPDATE_ITEM.5", `{"action":"update_item","id":"group-4","selected":"true"}`, `{"updated":"group-4"}`,
			[]string{read, `PUT /shopping-list/groups/group-4 {"aisle_id":"aisle-other","name":"Kitchen foil","quantity":null,"selected":true}`},
			all,
		},
		{
			"UPDATE_ITEM.8", `{"action":"update_item","id":"group-2","selected":false}`, `{"updated":"group-2"}`,
			[]string{read, `PUT /shopping-list/groups/group-2 {"aisle_id":"aisle-bakery","name":"Corn tortillas","quantity":"12","selected":false}`},
			[]string{tomatoes, "[ ] group-2 Corn tortillas (12) aisle-bakery recipe-tacos", milk, foil},
		},
		{
			"UPDATE_ITEM.8 no quantity", `{"action":"update_item","id":"group-2","quantity":""}`, `{"updated":"group-2"}`,
			[]string{read, `PUT /shopping-list/groups/group-2 {"aisle_id":"aisle-bakery","name":"Corn tortillas","quantity":"","selected":true}`},
			[]string{tomatoes, "[x] group-2 Corn tortillas () aisle-bakery recipe-tacos", milk, foil},
		},
		{
			"UPDATE_ITEM.9", `{"action":"update_item","id":"group-3","name":"Oat milk","quantity":"1 l","selected":true}`, `{"updated":"group-3"}`,
			[]string{read, `PUT /shopping-list/groups/group-3 {"aisle_id":"aisle-dairy","name":"Oat milk","quantity":"1 l","selected":true}`},
			[]string{tomatoes, tortillas, "[x] group-3 Oat milk (1 l) aisle-dairy recipe-pancakes", foil},
		},

		{
			"SELECTION.1", `{"action":"replace_selection","ids":["group-1"]}`, `{"selected":["group-1"]}`,
			[]string{`PUT /shopping-list/selection {"ids":["group-1"]}`},
			[]string{tick(tomatoes), untick(tortillas), milk, untick(foil)},
		},
		{
			"SELECTION.2", `{"action":"add_selection","ids":["group-1"]}`, `{"selected":["group-1","group-2","group-4"]}`,
			[]string{read, `PUT /shopping-list/selection {"ids":["group-1","group-2","group-4"]}`},
			[]string{tick(tomatoes), tortillas, milk, foil},
		},
		{
			"SELECTION.3", `{"action":"remove_selection","ids":["group-4"]}`, `{"selected":["group-2"]}`,
			[]string{read, `PUT /shopping-list/selection {"ids":["group-2"]}`},
			[]string{tomatoes, tortillas, milk, untick(foil)},
		},
		{
			"SELECTION.4", `{"action":"remove_selection","ids":["group-2","group-4"]}`, `{"selected":[]}`,
			[]string{read, `PUT /shopping-list/selection {"ids":[]}`},
			[]string{tomatoes, untick(tortillas), milk, untick(foil)},
		},
		{
			"SELECTION.5", `{"action":"add_selection","ids":"group-2"}`, `{"selected":["group-2","group-4"]}`,
			[]string{read, `PUT /shopping-list/selection {"ids":["group-2","group-4"]}`},
			all,
		},
		{
			"SELECTION.8", `{"action":"replace_selection","ids":["group-3","group-2"]}`, `{"selected":["group-2","group-3"]}`,
			[]string{`PUT /shopping-list/selection {"ids":["group-3","group-2"]}`},
			[]string{tomatoes, tortillas, tick(milk), untick(foil)},
		},
		{
			"SELECTION.9", `{"action":"add_selection","ids":["group-4","group-3","group-3"]}`, `{"selected":["group-2","group-3","group-4"]}`,
			[]string{read, `PUT /shopping-list/selection {"ids":["group-2","group-3","group-4"]}`},
			[]string{tomatoes, tortillas, tick(milk), foil},
		},
		{
			"SELECTION.10", `{"action":"remove_selection","ids":["group-2","group-1"]}`, `{"selected":["group-4"]}`,
			[]string{read, `PUT /shopping-list/selection {"ids":["group-4"]}`},
			[]string{tomatoes, untick(tortillas), milk, foil},
		},

		{
			"REMOVE.1", `{"action":"remove","ids":["group-3"]}`, `{"removed":["group-3"]}`,
			[]string{"DELETE /shopping-list/groups?id=group-3"},
			[]string{tomatoes, tortillas, foil},
		},
		{
			"REMOVE.2", `{"action":"remove","ids":["group-4","group-1"]}`, `{"removed":["group-4","group-1"]}`,
			[]string{"DELETE /shopping-list/groups?id=group-4&id=group-1"},
			[]string{tortillas, milk},
		},
		{"CLEAR.1", `{"action":"clear"}`, `{"cleared":true}`, []string{"DELETE /shopping-list"}, nil},
		{"CLEAR.2", `{"action":"clear","ids":null,"name":""}`, `{"cleared":true}`, []string{"DELETE /shopping-list"}, nil},
	} {
		t.Run(tt.requirement, func(t *testing.T) {
			s.renew(t, cookedToken)
			text, isError := call(t, s.session, "change_shopping_list", tt.args)
			if isError || text != tt.reply {
				t.Errorf("got %v %s, want %s", isError, text, tt.reply)
			}
			same(t, "sent", s.received(), strings.Join(tt.sent, "\n"))
			same(t, "list", s.groups(t), strings.Join(tt.list, "\n"))
		})
	}
}

func TestShoppingRefusals(t *testing.T) {
	t.Parallel()
	s := startShopping(t)
	for _, tt := range []struct {
		requirement, args string
		want              string // parts between stars
		sent              string // methods
	}{
		{"ADD.2 blank", `{"action":"add","ingredients":" \n\t\n"}`, "add needs ingredients: *", ""},
		{"ADD.2 none", `{"action":"add"}`, "add needs ingredients: *", ""},
		{"ADD.3 both", `{"action":"add","ingredients":"eggs","recipe_id":"recipe-tacos","import_draft_id":"draft-lime-pie"}`, "give either recipe_id or import_draft_id", ""},
		{"ADD.3 unknown", `{"action":"add","ingredients":"eggs","recipe_id":"recipe-9"}`, "no recipe has the id 'recipe-9'", "POST"},
		{"ADD.6", `{"action":"add","ingredients":"For the pie:\n---"}`, "Cooked added none of the ingredients: *", "POST"},
		{"UPDATE_ITEM.2 nothing", `{"action":"update_item","id":"group-1","name":""}`, "update_item needs what changes: *", ""},
		{"UPDATE_ITEM.6", `{"action":"update_item","name":"Tomatoes"}`, "update_item needs id: *", ""},
		{"UPDATE_ITEM.6 ids", `{"action":"update_item","ids":["group-1"],"name":"Tomatoes"}`, "update_item needs id: *", ""},
		{"UPDATE_ITEM.7", `{"action":"update_item","id":"group-9","name":"Limes"}`, "there is no product group 'group-9' on the shopping list: *", "GET"},
		{"UPDATE_ITEM.7 name", `{"action":"update_item","id":"Tomatoes","name":"Limes"}`, "there is no product group 'Tomatoes' on the shopping list: *", "GET"},
		{"UPDATE_ITEM.7 path", `{"action":"update_item","id":"../selection","name":"Limes"}`, "there is no product group '../selection' on the shopping list: *", "GET"},
		{"UPDATE_ITEM unknown aisle", `{"action":"update_item","id":"group-1","aisle_id":"Bakery"}`, "no aisle has the id 'Bakery'", "GET PUT"},
		{"UPDATE_ITEM blank name", `{"action":"update_item","id":"group-1","name":" "}`, "a product group needs a name", "GET PUT"},
		{"SELECTION.7 replace", `{"action":"replace_selection"}`, "replace_selection needs ids: *", ""},
		{"SELECTION.7 add", `{"action":"add_selection","id":"group-1"}`, "add_selection needs ids: *", ""},
		{"SELECTION.7 remove", `{"action":"remove_selection","ids":null}`, "remove_selection needs ids: *", ""},
		{"SELECTION.7 empty", `{"action":"replace_selection","ids":[]}`, "ids: *1*", ""},
		{"SELECTION.8 unknown", `{"action":"replace_selection","ids":["group-1","group-9"]}`, "no product group has the id 'group-9'", "PUT"},
		{"SELECTION.9 unknown", `{"action":"add_selection","ids":["group-1","group-9"]}`, "no product group has the id 'group-9'", "GET PUT"},
		{"REMOVE.1 unknown", `{"action":"remove","ids":["group-1","group-9"]}`, "no product group has the id 'group-9'", "DELETE"},
		{"ACTIONS.1", `{"ids":["group-1"]}`, "action: is required", ""},
		{"ACTIONS.2", `{"action":"delete","ids":["group-1"]}`, "action: *add, update_item, replace_selection, add_selection, remove_selection, remove, clear*", ""},
		{"ACTIONS.2 parameter", `{"action":"remove","ids":["group-1"],"all":true}`, "all: *", ""},
		{"SAFETY.1", `{"action":"remove"}`, "remove needs ids: *", ""},
		{"SAFETY.1 empty", `{"action":"remove","ids":[]}`, "ids: *1*", ""},
		{"SAFETY.3", `{"action":"","ids":[]}`, "action: *", ""},
		{"SAFETY.3 not only clear", `{"action":"clear","ids":["group-1"]}`, "clear empties the whole list *", ""},
	} {
		t.Run(tt.requirement, func(t *testing.T) {
			s.renew(t, cookedToken)
			text, isError := call(t, s.session, "change_shopping_list", tt.args)
			refusal(t, text, isError, tt.want)
			var methods []string
			for line := range strings.Lines(s.received()) {
				method, _, _ := strings.Cut(line, " ")
				methods = append(methods, method)
			}
			same(t, "sent", strings.Join(methods, " "), tt.sent)
			same(t, "list", s.groups(t), strings.Join([]string{tomatoes, tortillas, milk, foil}, "\n"))
		})
	}

	t.Run("the API's token", func(t *testing.T) {
		s.renew(t, "another-token")
		if text, isError := call(t, s.session, "read", `{"target":"shopping_list"}`); !isError || text != "Cooked refused its token: check COOKED_API_TOKEN" {
			t.Errorf("got %v %s", isError, text)
		}
	})
	t.Run("no API", func(t *testing.T) {
		s.api.Close()
		text, isError := call(t, s.session, "read", `{"target":"shopping_list"}`)
		sentence(t, text, isError)
		same(t, "text", text, "Cooked does not answer")
	})
	t.Run("the client's token", func(t *testing.T) {
		for _, token := range []string{"", "wrong", cookedToken, shoppingToken[1:]} {
			resp, err := (&http.Client{Transport: authorized(t, token)}).Post(s.url, "application/json", strings.NewReader(listTools))
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusUnauthorized {
				t.Errorf("'%s': got %s", token, resp.Status)
			}
		}
	})
	t.Run("the log", func(t *testing.T) {
		s.stop(t, 20*time.Second)
		printed := s.text()
		if !strings.Contains(printed, `"tool":"change_shopping_list"`) {
			t.Error("it does not name the tool")
		}
		for _, text := range []string{shoppingToken, cookedToken, "group-9", "Limes"} {
			if strings.Contains(printed, text) {
				t.Errorf("it holds '%s'", text)
			}
		}
	})
}
