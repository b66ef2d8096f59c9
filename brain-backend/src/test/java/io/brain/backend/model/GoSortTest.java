package io.brain.backend.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GoSortTest {
    private record Element(int key, int id) {}

    /** The figures are hashes of the orders that sort.Sort of Go 1.26 makes. */
    @ParameterizedTest
    @CsvSource({
        "0,0,0",
        "1,2,31",
        "12,0,1647471042979344594",
        "13,0,-6021644095436028115",
        "13,1,-7010355344908032423",
        "13,2,553276372435883865",
        "13,3,8552233431672873647",
        "20,0,-2283620331957422274",
        "49,2,4794186446306568627",
        "50,0,-2806929297685618193",
        "50,3,-3103559191427520235",
        "51,1,6328858939472343526",
        "64,3,3262567562454967126",
        "100,0,-6110825564628777478",
        "100,3,5783839191477709706",
        "300,2,-2447229431285587416",
        "1000,0,6674780373073533362",
        "1000,1,1909875228652467580",
        "1000,3,7727413497822287620",
        "5000,0,8906242205262246336",
        "5000,2,6440892091429512138",
        "5000,3,-3239141415129390610"
    })
    void equalElementsComeInGosOrder(int length, int shape, long expected) {
        long hash = length;
        for (int keys = 2; keys <= length + 1; keys = keys * 2 + 1) {
            List<Element> list = new ArrayList<>();
            for (int i = 0; i < length; i++) {
                list.add(new Element(key(i, length, keys, shape), i));
            }
            Comparator<Element> order = Comparator.comparingInt(Element::key);
            GoSort.sort(list, keys % 3 == 0 ? order.reversed() : order);
            for (Element element : list) {
                hash = hash * 31 + element.id();
            }
        }
        assertThat(hash).isEqualTo(expected);
    }

    private static int key(int i, int length, int keys, int shape) {
        return switch (shape) {
            case 0 -> (i * 37 + i * i % 11) % keys;
            case 1 -> i / keys;
            case 2 -> (length - i) / keys;
            default -> i % 17 == 0 ? keys - i % keys : i % keys;
        };
    }
}
