package io.brain.admin.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Collection;
import java.util.function.Function;

/** Builds a JSON object. */
final class Json {
    private static final int ROWS_MAX = 20;
    private static final MathContext DIGITS = new MathContext(4);

    private final JsonObject object = new JsonObject();

    Json add(String name, String value) {
        object.addProperty(name, value);
        return this;
    }

    Json add(String name, Number value) {
        object.addProperty(name, value);
        return this;
    }

    Json add(String name, Boolean value) {
        object.addProperty(name, value);
        return this;
    }

    Json add(String name, JsonElement value) {
        object.add(name, value);
        return this;
    }

    /** Adds a number rounded to four significant digits, or to an integer. */
    Json addRounded(String name, double value) {
        return add(name, rounded(value));
    }

    /** Adds a table of the first items. */
    <T> Json addRows(String name, Collection<T> items, Function<T, Json> row) {
        return addAllRows(name, items.stream().limit(ROWS_MAX).toList(), row);
    }

    /** Adds a table of all items. */
    <T> Json addAllRows(String name, Collection<T> items, Function<T, Json> row) {
        JsonArray rows = new JsonArray();
        items.forEach(item -> rows.add(row.apply(item).build()));
        return add(name, rows);
    }

    JsonObject build() {
        return object;
    }

    /** Rounds to four significant digits; values of 1000 and above to an integer. */
    static double rounded(double value) {
        return Math.abs(value) >= 1000
                ? Math.rint(value)
                : BigDecimal.valueOf(value).round(DIGITS).doubleValue();
    }
}
