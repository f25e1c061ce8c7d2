package io.dht4j.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaParameterizedType;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Set;
import java.util.stream.Stream;

/** What public signatures show. */
final class SignatureRules {

    private static final String[] WRAPPED = {
        "io.vertx..", "io.netty..", "one.nio..", "io.grpc..", "org.h2..", "io.microraft.."
    };

    private SignatureRules() {}

    static ArchRule wrappedLibrariesAreNotInPublicSignatures() {
        return publicSignaturesDoNotShow("wrapped library", resideInAnyPackage(WRAPPED));
    }

    static ArchRule internalTypesAreNotInPublicSignatures() {
        return publicSignaturesDoNotShow("internal type", resideInAPackage("..internal.."));
    }

    private static ArchRule publicSignaturesDoNotShow(String what, DescribedPredicate<JavaClass> hidden) {
        return classes()
                .that(DescribedPredicate.describe("others can name", SignatureRules::canBeNamed))
                .and()
                .resideOutsideOfPackage("..internal..")
                .should(new ArchCondition<>("have no " + what + " in what others see of them") {
                    @Override
                    public void check(JavaClass type, ConditionEvents events) {
                        Stream.concat(type.getSuperclass().stream(), type.getInterfaces().stream())
                                .forEach(parent -> report(type, type.getFullName(), parent, hidden, events));
                        for (JavaMember member : type.getMembers()) {
                            if (isVisible(member)) {
                                typesOf(member)
                                        .forEach(part -> report(type, member.getFullName(), part, hidden, events));
                            }
                        }
                    }
                });
    }

    private static boolean canBeNamed(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && type.getEnclosingClass().map(SignatureRules::canBeNamed).orElse(true);
    }

    private static boolean isVisible(JavaMember member) {
        Set<JavaModifier> modifiers = member.getModifiers();
        return modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED);
    }

    private static Stream<JavaType> typesOf(JavaMember member) {
        if (member instanceof JavaCodeUnit code) {
            return Stream.of(
                            Stream.of(code.getReturnType()),
                            code.getParameterTypes().stream(),
                            code.getExceptionTypes().stream().map(JavaType.class::cast))
                    .flatMap(types -> types);
        }
        return Stream.of(((JavaField) member).getType());
    }

    private static void report(
            JavaClass type, String where, JavaType part, DescribedPredicate<JavaClass> hidden, ConditionEvents events) {
        for (JavaClass involved : part.getAllInvolvedRawTypes()) {
            if (hidden.test(involved.getBaseComponentType())) {
                events.add(SimpleConditionEvent.violated(
                        type,
                        where + " shows " + involved.getName()
                                + (part instanceof JavaParameterizedType ? " within a generic type" : "")));
            }
        }
    }
}
