package io.dht4j.lab.workload;

import io.dht4j.PrintableText;
import java.math.BigDecimal;

/** Reads numbers of workloads. */
final class Numbers {

    private Numbers() {}

    /** Returns a number without an exponent and without superfluous zeros. */
    static String text(double number) {
        return BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
    }

    static double decimal(String what, String text, double least, double most) {
        try {
            double number = Double.parseDouble(text.strip());
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        throw refusal(what, text, text(least), text(most));
    }

    static int whole(String what, String text, int least, int most) {
        try {
            int number = Integer.parseInt(text.strip());
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        throw refusal(what, text, Integer.toString(least), Integer.toString(most));
    }

    private static IllegalArgumentException refusal(String what, String text, String least, String most) {
        return new IllegalArgumentException(
                what + " must be " + least + " to " + most + ", not \"" + PrintableText.of(text, 100) + "\"");
    }
}
