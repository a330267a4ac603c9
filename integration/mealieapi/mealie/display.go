package mealie

import (
	"math"
	"strconv"
	"strings"
)

// display is an ingredient as one line. Where amounts are off, it is the
// quantity, unless that is one, and the note.
func (i ingredientInfo) display() string {
	var words []string
	quantity := orZero(i.Quantity)
	if quantity != 0 && (!i.DisableAmount || quantity != 1) {
		words = append(words, quantityText(quantity, i.Unit != nil && i.Unit.Fraction))
	}
	if !i.DisableAmount {
		if quantity != 0 && i.Unit != nil {
			words = append(words, i.Unit.display(quantity > 1))
		}
		if i.Food != nil {
			name := i.Food.Name
			if (quantity == 0 || quantity > 1) && i.Food.PluralName != nil && *i.Food.PluralName != "" {
				name = *i.Food.PluralName
			}
			words = append(words, name)
		}
	}
	if i.Note != nil {
		words = append(words, *i.Note)
	}
	return strings.TrimSpace(strings.Join(words, " "))
}

func (u *unitInfo) display(plural bool) string {
	short, long := u.Abbreviation, u.Name
	if plural {
		if p := u.PluralAbbreviation; p != nil && *p != "" {
			short = *p
		}
		if p := u.PluralName; p != nil && *p != "" {
			long = *p
		}
	}
	if u.UseAbbreviation && short != "" {
		return short
	}
	return long
}

var (
	above = strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")
	below = strings.NewReplacer("0", "₀", "1", "₁", "2", "₂", "3", "₃", "4", "₄", "5", "₅", "6", "₆", "7", "₇", "8", "₈", "9", "₉")
)

// quantityText is a decimal, or a whole number and a fraction.
func quantityText(q float64, fraction bool) string {
	if !fraction || math.Abs(q) > 1e6 {
		return strconv.FormatFloat(math.Round(q*1000)/1000, 'f', -1, 64)
	}
	whole := math.Floor(q)
	over, under := nearestFraction(q - whole)
	if over == under {
		whole, over = whole+1, 0
	}
	var parts []string
	if whole != 0 || over == 0 {
		parts = append(parts, strconv.FormatFloat(whole, 'f', -1, 64))
	}
	if over != 0 {
		parts = append(parts, above.Replace(strconv.Itoa(over))+"/"+below.Replace(strconv.Itoa(under)))
	}
	return strings.Join(parts, " ")
}

// nearestFraction approximates a number from 0 to 1 with a denominator of at
// most 32, the smallest that does.
func nearestFraction(x float64) (over, under int) {
	under = 1
	best := math.Inf(1)
	for d := 1; d <= 32; d++ {
		n := math.Round(x * float64(d))
		if off := math.Abs(x - n/float64(d)); off < best-1e-9 {
			best, over, under = off, int(n), d
		}
	}
	return over, under
}
