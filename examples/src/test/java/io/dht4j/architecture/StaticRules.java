package io.dht4j.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.AbstractCollection;
import java.util.AbstractMap;
import java.util.Queue;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;

/** What classes keep for the whole process. */
final class StaticRules {

    private StaticRules() {}

    static ArchRule noMutableStatics() {
        DescribedPredicate<JavaField> isStatic = DescribedPredicate.describe(
                "are static and not made by the compiler",
                field -> field.getModifiers().contains(JavaModifier.STATIC)
                        && !field.getModifiers().contains(JavaModifier.SYNTHETIC)
                        && !field.getName().startsWith("$"));
        return fields().that(isStatic).should(new ArchCondition<>("be final and of a type that does not change") {
            @Override
            public void check(JavaField field, ConditionEvents events) {
                if (!field.getModifiers().contains(JavaModifier.FINAL)) {
                    events.add(SimpleConditionEvent.violated(field, field.getFullName() + " is not final"));
                } else if (isMutable(field.getRawType())) {
                    events.add(SimpleConditionEvent.violated(
                            field,
                            field.getFullName() + " holds something that changes: "
                                    + field.getRawType().getName()));
                }
            }
        });
    }

    /** Judges by the type alone: a {@code List} may be immutable. */
    private static boolean isMutable(JavaClass type) {
        // An updater has no state of its own.
        return (type.getPackageName().equals("java.util.concurrent.atomic")
                        && !type.getName().endsWith("FieldUpdater"))
                || type.isAssignableTo(AbstractCollection.class)
                || type.isAssignableTo(AbstractMap.class)
                || type.isAssignableTo(ConcurrentMap.class)
                || type.isAssignableTo(Queue.class)
                || type.isAssignableTo(ThreadLocal.class)
                || type.isAssignableTo(StringBuilder.class)
                || type.isAssignableTo(Executor.class)
                || type.isAssignableTo(CompletableFuture.class);
    }

    static ArchRule noServiceLoader() {
        return noClasses().should().dependOnClassesThat().areAssignableTo(ServiceLoader.class);
    }
}
