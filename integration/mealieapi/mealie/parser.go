package mealie

import (
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// A parsed is what the parser makes of a line.
type parsed struct {
	Input      string         `json:"input"`
	Confidence confidence     `json:"confidence"`
	Ingredient ingredientInfo `json:"ingredient"`
}

type confidence struct {
	Average  float64  `json:"average"`
	Comment  float64  `json:"comment"`
	Name     *float64 `json:"name"`
	Unit     float64  `json:"unit"`
	Quantity float64  `json:"quantity"`
	Food     float64  `json:"food"`
}

// parseIngredients is POST /api/parser/ingredients. It changes nothing: a food
// or a unit that is not known comes back without an id.
func (a *API) parseIngredients(_ *http.Request, in *input) (reply, error) {
	parser, lines := "nlp", []string(nil)
	in.need("ingredients")
	in.choice("parser", []string{"nlp", "brute", "openai"}, &parser)
	in.texts("ingredients", &lines)
	if err := in.failed(); err != nil {
		return reply{}, err
	}
	if parser == "openai" {
		return reply{}, refuse(http.StatusBadRequest, "OpenAI is not enabled", "")
	}
	d := a.store.Read()
	results := []parsed{}
	for _, line := range lines {
		results = append(results, d.parse(line))
	}
	return ok(results)
}

// parse reads a line: a quantity, a unit, a food, and after a comma, a note.
func (d *data) parse(line string) parsed {
	rest := strings.Join(strings.Fields(line), " ")
	quantity, rest := leadingQuantity(rest)
	i := ingredientInfo{Quantity: &quantity, IsFood: true, Title: new(""), ReferenceID: seedID("parsed", line)}
	c := confidence{Comment: 0, Quantity: 0.998, Unit: 0, Food: 0.947}
	if word, after, ok := d.leadingUnit(rest); ok {
		i.Unit, rest = word, after
		c.Unit = 0.991
	}
	name, comment, commented := strings.Cut(rest, ",")
	if at := strings.IndexByte(name, '('); at > 0 && !commented {
		comment, name = strings.Trim(name[at:], "() "), name[:at]
	}
	name, comment = strings.TrimSpace(name), strings.TrimSpace(comment)
	i.Note = &comment
	if comment != "" {
		c.Comment = 0.962
	}
	if name != "" {
		if f := d.foodCalled(name); f != nil {
			i.Food = d.showFood(f)
		} else {
			i.Food = &foodInfo{nounInfo: guessed(name), Households: []string{}}
			c.Food = 0.613
		}
	} else {
		c.Food = 0
	}
	c.Average = math.Round((c.Quantity+c.Food)/2*1e4) / 1e4
	i.Display = i.display()
	return parsed{line, c, i}
}

// foodCalled finds a food by its name, its plural or an alias.
func (d *data) foodCalled(name string) *food {
	for _, f := range d.Foods {
		if f.called(name) {
			return f
		}
	}
	return nil
}

// called says whether a text is the name, the plural or an alias.
func (n *noun) called(text string) bool {
	if plain(text) == plain(n.Name) || n.PluralName != nil && plain(text) == plain(*n.PluralName) {
		return true
	}
	for _, a := range n.Aliases {
		if plain(text) == plain(a.Name) {
			return true
		}
	}
	return false
}

// unitWords are units that the parser understands although nobody made them.
var unitWords = []string{"cup", "pinch", "handful", "sprig", "knob", "slice", "stick", "dash", "bunch", "clove", "can", "tin"}

// leadingUnit takes the first word, or the first two, if it is a unit.
func (d *data) leadingUnit(text string) (*unitInfo, string, bool) {
	words := strings.SplitN(text, " ", 3)
	for n := min(2, len(words)); n > 0 && text != ""; n-- {
		word := strings.TrimSuffix(strings.Join(words[:n], " "), ".")
		rest := strings.TrimPrefix(strings.Join(words[n:], " "), "of ")
		for _, u := range d.Units {
			short := u.Abbreviation != "" && (word == u.Abbreviation || u.PluralAbbreviation != nil && word == *u.PluralAbbreviation)
			if short || u.called(word) {
				return showUnit(u), rest, true
			}
		}
		for _, known := range unitWords {
			if w := strings.ToLower(word); rest != "" && (w == known || w == known+"s" || w == known+"es") {
				return &unitInfo{nounInfo: guessed(known), Fraction: true, PluralAbbreviation: new("")}, rest, true
			}
		}
	}
	return nil, text, false
}

var (
	quantityStart = regexp.MustCompile(`^(?:(\d{1,6}) +)?(\d{1,4})/(\d{1,4})(?: |$)|^(\d{1,6}(?:[.,]\d{1,4})?)(?:\s*[-–]\s*\d+(?:[.,]\d+)?)? ?`)
	vulgar        = strings.NewReplacer("¼", " 1/4 ", "½", " 1/2 ", "¾", " 3/4 ", "⅓", " 1/3 ", "⅔", " 2/3 ", "⅛", " 1/8 ")
	numberWords   = map[string]float64{"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "half": 0.5, "dozen": 12}
)

// leadingQuantity takes a number from the start of a line: 2, 1.5, 1 1/2, ½,
// the lower end of 2-3, or a word. It is 0 if there is none.
func leadingQuantity(text string) (float64, string) {
	if spaced := strings.Join(strings.Fields(vulgar.Replace(text)), " "); quantityStart.MatchString(spaced) {
		m := quantityStart.FindStringSubmatch(spaced)
		rest := strings.TrimSpace(spaced[len(m[0]):])
		if m[4] != "" {
			q, _ := strconv.ParseFloat(strings.Replace(m[4], ",", ".", 1), 64)
			return q, rest
		}
		whole, _ := strconv.ParseFloat("0"+m[1], 64)
		over, _ := strconv.ParseFloat(m[2], 64)
		if under, _ := strconv.ParseFloat(m[3], 64); under > 0 {
			return math.Round((whole+over/under)*1000) / 1000, rest
		}
	}
	first, rest, _ := strings.Cut(text, " ")
	if q, ok := numberWords[strings.ToLower(first)]; ok && rest != "" {
		return q, rest
	}
	return 0, text
}
