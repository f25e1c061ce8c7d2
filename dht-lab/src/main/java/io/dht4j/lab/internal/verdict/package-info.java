/** Whether two series of repetitions differ by more than chance. */
@NullMarked
package io.dht4j.lab.internal.verdict;

import org.jspecify.annotations.NullMarked;
