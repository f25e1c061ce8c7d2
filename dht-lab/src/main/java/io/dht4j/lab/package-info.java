/** What a team implements to have its own transport or store measured, and how the lab loads it. */
@NullMarked
package io.dht4j.lab;

import org.jspecify.annotations.NullMarked;
